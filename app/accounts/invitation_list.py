"""The list of invitations, as admins see it: newest first, with who made and who used each."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session, aliased

from app.accounts.invitation import InvitationState, state_of
from app.accounts.model import Invitation, Role, User
from app.cursor import read_uuid_cursor, write_cursor

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationView:
    """Without its secret, which nobody keeps. People are user names."""

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


def list_invitations(session: Session, cursor: str | None = None) -> InvitationPage:
    """Raises CursorInvalid."""
    maker, guest = aliased(User), aliased(User)
    found = (
        select(Invitation, maker.username, guest.username)
        .outerjoin(maker, maker.id == Invitation.created_by)
        .outerjoin(guest, guest.id == Invitation.used_by)
        .order_by(Invitation.created_at.desc(), Invitation.id.desc())
        .limit(PAGE_SIZE + 1)
    )
    if cursor is not None:
        found = found.where(tuple_(Invitation.created_at, Invitation.id) < read_uuid_cursor(cursor))
    rows = session.execute(found).all()
    items = tuple(describe_invitation(*row) for row in rows[:PAGE_SIZE])
    is_more = len(rows) > PAGE_SIZE
    return InvitationPage(items=items, next=write_cursor(items[-1].created_at, items[-1].id) if is_more else None)


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
