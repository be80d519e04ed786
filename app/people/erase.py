"""Erasing a user for good: nothing of what they wrote or did for themselves is left, and no way back in.

Their own row stays, without a name, for what must go on pointing at somebody; see `estate.py`. A request of theirs that
is under way either has written its rows before, and they go too, or can write none any more: the row is locked against
both, and a trigger on each table that is emptied refuses what would belong to an erased user.
"""

import secrets
from uuid import UUID

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from app.accounts.model import Invitation, User
from app.accounts.proof import Proof, require_proof
from app.accounts.user import ERASED
from app.audit.record import Act, Actor, record
from app.people.change import keep_an_admin, lock_row, refuse_own
from app.people.estate import ESTATE


def erase_self(session: Session, actor: Actor, proof: Proof) -> str:
    """For the account's owner, who is the `actor`. Raises NotProven, and Conflict for the last admin."""
    assert actor.user_id is not None  # commands erase by name
    require_proof(session.get_one(User, actor.user_id), proof)
    return _erase(session, actor, actor.user_id)


def erase(session: Session, actor: Actor, user_id: UUID) -> str:
    """The name of what is left. Nothing changes for who was erased already.

    Raises UserNotFound, OwnAccount, and Conflict for the last admin.
    """
    refuse_own(actor, user_id)
    return _erase(session, actor, user_id)


def _erase(session: Session, actor: Actor, user_id: UUID) -> str:
    keep_an_admin(session, user_id)
    user = lock_row(session, user_id)
    if user.erased_at is not None:
        return user.username
    # Waits for everybody whose row refers to them; what was written is seen from here on.
    session.refresh(user, with_for_update=True)
    _empty_invitations(session, user)
    for belonging in ESTATE:
        if belonging.fate == "removed":
            gone = delete(belonging.column.class_).where(belonging.column == user_id)
            session.execute(gone, execution_options={"synchronize_session": False})
    _anonymise(session, user)
    record(session, actor, Act(action="user.erased", target=user_id))
    return user.username


def _anonymise(session: Session, user: User) -> None:
    user.username = ERASED + secrets.token_hex(4)
    user.email = user.password_hash = None
    user.role, user.is_active, user.is_ranked = "student", False, False
    user.erased_at = session.scalars(select(func.now())).one()
    session.flush()


def _empty_invitations(session: Session, user: User) -> None:
    own = Invitation.used_by == user.id
    if user.email is not None:
        own = or_(own, func.lower(Invitation.email) == user.email.lower())
    session.execute(update(Invitation).where(own).values(email=None, note=""))
