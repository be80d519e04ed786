"""Invitations: links with which one person may sign up once, with a role; and their list for admins."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select, tuple_
from sqlalchemy.orm import Session, aliased

from app.accounts.mail import Message
from app.accounts.model import Invitation, Role, User, digest, new_secret
from app.accounts.permission import a_role
from app.accounts.user import check_email
from app.audit import Act, Actor, record
from app.database.cursor import PAGE, read_uuid_cursor, split_page, write_cursor
from app.database.engine import is_storable
from app.errors import Conflict, Invalid, NotFound, Refused

DEFAULT_DAYS = 7
MAX_DAYS = 90
MAX_NOTE = 200

InvitationState = Literal["open", "used", "expired", "revoked"]


class InvitationSpent(Refused):
    """The link is unknown, used, expired or revoked; the text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invite:
    """`note` is for admins. With a mail server, the link is sent to `email`."""

    role: Role = "student"
    email: str | None = None
    note: str = ""
    days: int = DEFAULT_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class NewInvitation:
    """A new invitation. Only this object ever holds `secret`."""

    invitation: Invitation
    secret: str = field(repr=False)

    def link(self, base_url: str) -> str:
        return f"{base_url}/invitations/{self.secret}"

    def letter(self, base_url: str) -> Message | None:
        """Return the e-mail with the link; None without an address."""
        if self.invitation.email is None:
            return None
        until = self.invitation.expires_at.astimezone(UTC)
        text = (
            f"You are invited to Allclose, as {a_role(self.invitation.role)}.\n\n"
            f"Make your account here, until {until:%Y-%m-%d %H:%M} UTC:\n\n{self.link(base_url)}\n\n"
            "The link works once. If you did not expect this mail, ignore it.\n"
        )
        return Message(to=self.invitation.email, subject="Your invitation to Allclose", text=text)


def invite(session: Session, actor: Actor, wanted: Invite) -> NewInvitation:
    """Make an invitation. Raises Invalid."""
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
    """Revoke an invitation; a revoked one does not change. Raises NotFound, and Conflict for a used one."""
    invitation = session.get(Invitation, invitation_id, with_for_update=True)
    if invitation is None:
        raise NotFound(f"There is no invitation {invitation_id}.")
    if invitation.used_at is not None:
        raise Conflict("This invitation was already used. Suspend the account that it made instead.")
    if invitation.revoked_at is None:
        invitation.revoked_at = datetime.now(UTC)
        record(session, actor, Act(action="invitation.revoked", target=invitation.id))


def get_invitation(session: Session, secret: str) -> Invitation:
    """Return an open invitation, locked so that only one of two concurrent sign-ups uses it. Raises InvitationSpent."""
    found = select(Invitation).where(Invitation.token_hash == digest(secret))
    invitation = session.scalar(found.with_for_update().execution_options(populate_existing=True))
    if invitation is None:
        raise InvitationSpent("There is no such invitation. Copy the whole link, or ask for another one.")
    state = state_of(invitation)
    if state != "open":
        said = {"used": "was already used", "revoked": "was revoked", "expired": "has expired"}[state]
        raise InvitationSpent(f"This invitation {said}. Ask the person who sent it for another one.")
    return invitation


def use_invitation(session: Session, actor: Actor, invitation: Invitation, user: User) -> None:
    """Mark the invitation as used. The caller holds its lock from `get_invitation`."""
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


def _in_state(state: InvitationState) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for which `state_of` returns the state."""
    is_used, is_revoked = Invitation.used_at.is_not(None), Invitation.revoked_at.is_not(None)
    is_over = Invitation.expires_at <= func.now()
    if state == "used":
        return (is_used,)
    return (
        (~is_used, is_revoked)
        if state == "revoked"
        else (~is_used, ~is_revoked, ~is_over if state == "open" else is_over)
    )


def check_note(note: str) -> None:
    """Raises Invalid."""
    if len(note) > MAX_NOTE or not is_storable(note):
        raise Invalid("note", f"A note has at most {MAX_NOTE} characters, without NUL. Shorten it.")


def _check(wanted: Invite) -> None:
    if wanted.email is not None:
        check_email(wanted.email)
    check_note(wanted.note)
    if not 1 <= wanted.days <= MAX_DAYS:
        raise Invalid("days", f"An invitation is valid for 1 to {MAX_DAYS} days, not {wanted.days}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationView:
    """An invitation for admins, without its secret. `created_by` and `used_by` are user names."""

    id: UUID
    state: InvitationState
    role: Role
    email: str | None
    note: str
    created_by: str | None
    created_at: datetime
    expires_at: datetime
    used_by: str | None
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationPage:
    items: tuple[InvitationView, ...]
    next: str | None


def list_invitations(
    session: Session, cursor: str | None = None, state: InvitationState | None = None
) -> InvitationPage:
    """Return a page of invitations, newest first; with a state, of those only. Raises CursorInvalid."""
    found = (
        _rows()
        .where(*(_in_state(state) if state else ()))
        .order_by(Invitation.created_at.desc(), Invitation.id.desc())
        .limit(PAGE + 1)
    )
    if cursor is not None:
        found = found.where(tuple_(Invitation.created_at, Invitation.id) < read_uuid_cursor(cursor))
    rows, last = split_page(session.execute(found).all(), PAGE)
    return InvitationPage(
        items=tuple(describe_invitation(*row) for row in rows),
        next=write_cursor(last[0].created_at, last[0].id) if last is not None else None,
    )


def _rows() -> Select[Invitation, str, str]:
    maker, guest = aliased(User), aliased(User)
    return (
        select(Invitation, maker.username, guest.username)
        .outerjoin(maker, maker.id == Invitation.created_by)
        .outerjoin(guest, guest.id == Invitation.used_by)
    )


def describe_invitation(invitation: Invitation, maker: str | None, guest: str | None) -> InvitationView:
    return InvitationView(
        id=invitation.id,
        state=state_of(invitation),
        role=invitation.role,
        email=invitation.email,
        note=invitation.note,
        created_by=maker,
        created_at=invitation.created_at,
        expires_at=invitation.expires_at,
        used_by=guest,
        used_at=invitation.used_at,
        revoked_at=invitation.revoked_at,
    )
