"""Who is on leaderboards: those who said so, for as long as they do."""

from uuid import UUID

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.accounts.model import User


def set_ranked(session: Session, user_id: UUID, *, is_ranked: bool) -> None:
    """Takes effect with the next page that anybody opens."""
    session.execute(update(User).where(User.id == user_id).values(is_ranked=is_ranked))
