"""Problems that a user bookmarked."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.accounts.model import User
from app.catalog.model import Problem
from app.database.engine import Base
from app.learning.lesson import get_lesson


class Bookmark(Base):
    """A user bookmarked a problem. Removing the bookmark deletes the row."""

    __tablename__ = "bookmarks"

    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), primary_key=True)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"), primary_key=True)
    bookmarked_at: Mapped[datetime] = mapped_column(server_default=func.now())


def add_bookmark(session: Session, user_id: UUID, slug: str) -> datetime:
    """Bookmark a problem and return when it first was. Raises NotFound."""
    problem_id = get_lesson(session, slug, user_id).problem_id
    row = {"user_id": user_id, "problem_id": problem_id}
    session.execute(insert(Bookmark).values(row).on_conflict_do_nothing())
    found = find_bookmarked_at(session, user_id, problem_id)
    assert found is not None  # only this transaction's user removes it
    return found


def remove_bookmark(session: Session, user_id: UUID, slug: str) -> None:
    """Remove the bookmark, if there is one. Raises NotFound for the problem."""
    problem_id = get_lesson(session, slug, user_id).problem_id
    session.execute(delete(Bookmark).where(Bookmark.user_id == user_id, Bookmark.problem_id == problem_id))


def find_bookmarked_at(session: Session, user_id: UUID, problem_id: UUID) -> datetime | None:
    one = (Bookmark.user_id == user_id, Bookmark.problem_id == problem_id)
    return session.scalar(select(Bookmark.bookmarked_at).where(*one))
