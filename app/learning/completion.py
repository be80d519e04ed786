"""Saying that one is through with a problem, and taking it back."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.errors import Conflict
from app.learning.lesson import get_lesson
from app.learning.model import Completion
from app.submissions.solved import find_solved_at


def complete(session: Session, user_id: UUID, slug: str) -> datetime:
    """When it was completed, first. Raises NotFound, Conflict while it is not solved."""
    lesson = get_lesson(session, slug)
    if find_solved_at(session, user_id, lesson.problem_id) is None:
        raise Conflict(
            f"{slug} is not solved yet: a submission of all its cases must be accepted before it is complete"
        )
    row = {"user_id": user_id, "problem_id": lesson.problem_id}
    session.execute(insert(Completion).values(row).on_conflict_do_nothing())
    return session.scalars(select(Completion.completed_at).where(_of(user_id, lesson.problem_id))).one()


def undo_completion(session: Session, user_id: UUID, slug: str) -> None:
    """Raises NotFound for the problem; one that is not completed stays so."""
    session.execute(delete(Completion).where(_of(user_id, get_lesson(session, slug).problem_id)))


def find_completed_at(session: Session, user_id: UUID, problem_id: UUID) -> datetime | None:
    return session.scalar(select(Completion.completed_at).where(_of(user_id, problem_id)))


def _of(user_id: UUID, problem_id: UUID) -> ColumnElement[bool]:
    return and_(Completion.user_id == user_id, Completion.problem_id == problem_id)
