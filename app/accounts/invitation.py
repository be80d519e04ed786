"""Invitations: a link by which one person may sign up, once, with a role."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import Invitation, Role, User
from app.accounts.right import a_role
from app.accounts.secret import digest, new_secret
from app.accounts.user import check_email
from app.audit.record import Act, Actor, record
from app.database import is_storable
from app.errors import Conflict, Invalid, NotFound, Refused
from app.mail.server import Message

DEFAULT_DAYS = 7
MAX_DAYS = 90
MAX_NOTE = 200

InvitationState = Literal["open", "used", "expired", "revoked"]


class InvitationSpent(Refused):
    """The link lets nobody in: unknown, used, expired or revoked, which the text says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invite:
    """`note` is for admins. `email`: where the link is sent, where there is a mail server."""

    role: Role = "student"
    email: str | None = None
    note: str = ""
    days: int = DEFAULT_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class NewInvitation:
    """The only place that ever holds `secret`."""

    invitation: Invitation
    secret: str = field(repr=False)

    def link(self, base_url: str) -> str:
        return f"{base_url}/invitations/{self.secret}"

    def letter(self, base_url: str) -> Message | None:
        """None where no address was given."""
        if self.invitation.email is None:
            return None
        until = self.invitation.expires_at.astimezone(UTC)
        text = (
            f"You are invited to Allclose, as {a_role(self.invitation.role)}.\n\n"
            f"Make your account here, until {until:%Y-%m-%d %H:%M} UTC:\n\n{self.link(base_url)}\n\n"
            "The link works once. If you expected nothing of the kind, do nothing.\n"
        )
        return Message(to=self.invitation.email, subject="Your invitation to Allclose", text=text)


def invite(session: Session, actor: Actor, wanted: Invite) -> NewInvitation:
    """Raises Invalid."""
    _check(wanted)
    secret = new_secret()
    invitation = Invitation(
        token_hash=digest(secret),
        role=wanted.role,
        email=wanted.email,
        note=wanted.note,
        created_by=actor.user_id,
        expires_at=datetime.now(UTC) + timedelta(days=wanted.days),
    )
    session.add(invitation)
    session.flush()
    after = {"role": wanted.role, "expires_at": invitation.expires_at.isoformat()}
    record(session, actor, Act(action="invitation.made", target=invitation.id, after=after))
    return NewInvitation(invitation=invitation, secret=secret)


def revoke_invitation(session: Session, actor: Actor, invitation_id: UUID) -> None:
    """Nothing changes for one that is revoked already. Raises NotFound, and Conflict for one that was used."""
    invitation = session.get(Invitation, invitation_id, with_for_update=True)
    if invitation is None:
        raise NotFound(f"there is no invitation {invitation_id}; GET /api/v1/invitations lists them")
    if invitation.used_at is not None:
        raise Conflict("this invitation was used already; suspend the account that it made instead")
    if invitation.revoked_at is None:
        invitation.revoked_at = datetime.now(UTC)
        record(session, actor, Act(action="invitation.revoked", target=invitation.id))


def get_invitation(session: Session, secret: str) -> Invitation:
    """One that lets somebody in; locked, so that of two who use it at once one comes in. Raises InvitationSpent."""
    found = select(Invitation).where(Invitation.token_hash == digest(secret))
    invitation = session.scalar(found.with_for_update().execution_options(populate_existing=True))
    if invitation is None:
        raise InvitationSpent("there is no such invitation; copy the whole link, or ask for another")
    state = state_of(invitation)
    if state != "open":
        said = {"used": "was used already", "revoked": "was withdrawn", "expired": "is too old"}[state]
        raise InvitationSpent(f"this invitation {said}; ask whoever sent it for another")
    return invitation


def use_invitation(session: Session, actor: Actor, invitation: Invitation, user: User) -> None:
    """The caller holds its lock since `get_invitation`."""
    invitation.used_by, invitation.used_at = user.id, datetime.now(UTC)
    actor = Actor(user_id=user.id, channel=actor.channel, address=actor.address)
    after = {"user": str(user.id), "role": invitation.role}
    record(session, actor, Act(action="invitation.used", target=invitation.id, after=after, subject_id=user.id))


def state_of(invitation: Invitation) -> InvitationState:
    if invitation.used_at is not None:
        return "used"
    if invitation.revoked_at is not None:
        return "revoked"
    return "open" if invitation.expires_at > datetime.now(UTC) else "expired"


def check_note(note: str) -> None:
    """Raises Invalid."""
    if len(note) > MAX_NOTE or not is_storable(note):
        raise Invalid("note", f"a note is a text of at most {MAX_NOTE} characters without NUL; shorten it")


def _check(wanted: Invite) -> None:
    if wanted.email is not None:
        check_email(wanted.email)
    check_note(wanted.note)
    if not 1 <= wanted.days <= MAX_DAYS:
        raise Invalid("days", f"an invitation holds for 1 to {MAX_DAYS} days, not {wanted.days}; choose another number")
