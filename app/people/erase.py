"""Erasing a user for good: nothing of what they wrote or did for themselves is left, and no way back in.

Their own row stays, without a name, for what must go on pointing at somebody; see `estate.py`.
"""

import secrets
from uuid import UUID

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from app.accounts.model import Invitation, User
from app.audit.record import Act, Actor, record
from app.people.change import keep_an_admin, lock_user
from app.people.estate import ESTATE

PREFIX = "erased-"


def erase(session: Session, actor: Actor, user_id: UUID) -> str:
    """The name of what is left. Raises UserNotFound, and Conflict for the last admin and for who is erased already."""
    keep_an_admin(session, user_id)
    user = lock_user(session, user_id)
    _empty_invitations(session, user)
    for belonging in ESTATE:
        if belonging.fate == "removed":
            gone = delete(belonging.column.class_).where(belonging.column == user_id)
            session.execute(gone, execution_options={"synchronize_session": False})
    _anonymise(session, user)
    record(session, actor, Act(action="user.erased", target=user_id))
    return user.username


def _anonymise(session: Session, user: User) -> None:
    user.username = PREFIX + secrets.token_hex(4)
    user.email = user.password_hash = None
    user.role, user.is_active, user.is_ranked = "student", False, False
    user.erased_at = session.scalars(select(func.now())).one()
    session.flush()


def _empty_invitations(session: Session, user: User) -> None:
    own = Invitation.used_by == user.id
    if user.email is not None:
        own = or_(own, func.lower(Invitation.email) == user.email.lower())
    session.execute(update(Invitation).where(own).values(email=None, note=""))
