"""A link for a new password, for the admin to hand over."""

from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.password_reset import make_reset_link
from app.audit.record import Act, Actor, record
from app.errors import Conflict
from app.people.change import lock_user, refuse_own


def make_link(session: Session, actor: Actor, user_id: UUID, base_url: str) -> str:
    """By which whoever has it chooses a new password within an hour. Raises UserNotFound, Conflict, OwnAccount."""
    refuse_own(actor, user_id)
    user = lock_user(session, user_id)
    if not user.is_active:
        raise Conflict(f"{user.username} is suspended, and a new password would not let them in; reactivate them first")
    record(session, actor, Act(action="user.reset_link_made", target=user_id))
    return make_reset_link(session, user, base_url)
