"""A user's progress with problems: new, tried, solved or completed."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Subquery, and_, case, delete, false, func, select, true, union_all
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.errors import Conflict
from app.learning.hint import Hints, read_hints
from app.learning.lesson import get_lesson
from app.learning.model import Completion
from app.learning.quiz import Quiz, read_quiz
from app.learning.solution import Lock, read_lock
from app.submissions.model import Judging, Submission
from app.submissions.solved import find_solved_at, is_solving


def complete(session: Session, user_id: UUID, slug: str) -> datetime:
    """Mark a problem as complete and return when it first was. Raises NotFound, and Conflict until it is solved."""
    lesson = get_lesson(session, slug, user_id)
    if find_solved_at(session, user_id, lesson.problem_id) is None:
        raise Conflict(f"{slug} is not solved yet; you can complete it after a submission is accepted")
    row = {"user_id": user_id, "problem_id": lesson.problem_id}
    session.execute(insert(Completion).values(row).on_conflict_do_nothing())
    return session.scalars(select(Completion.completed_at).where(_of(user_id, lesson.problem_id))).one()


def undo_completion(session: Session, user_id: UUID, slug: str) -> None:
    """Undo a completion, if there is one. Raises NotFound for the problem."""
    session.execute(delete(Completion).where(_of(user_id, get_lesson(session, slug, user_id).problem_id)))


def find_completed_at(session: Session, user_id: UUID, problem_id: UUID) -> datetime | None:
    return session.scalar(select(Completion.completed_at).where(_of(user_id, problem_id)))


def _of(user_id: UUID, problem_id: UUID) -> ColumnElement[bool]:
    return and_(Completion.user_id == user_id, Completion.problem_id == problem_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """A user's hints, quiz, solution lock and completion for one problem."""

    hints: Hints
    quiz: Quiz
    lock: Lock
    completed_at: datetime | None


def read_learning(session: Session, user_id: UUID, slug: str) -> Learning:
    """Raises NotFound."""
    lesson = get_lesson(session, slug, user_id)
    return Learning(
        hints=read_hints(session, user_id, lesson),
        quiz=read_quiz(session, user_id, lesson),
        lock=read_lock(session, user_id, lesson.problem_id),
        completed_at=find_completed_at(session, user_id, lesson.problem_id),
    )


def states_for(viewer: Viewer | None) -> Subquery | None:
    return states_of(viewer.id) if viewer else None


def states_of(user_id: UUID) -> Subquery:
    """Select `problem_id` and `state` of the user's submitted problems. All others are new."""
    # A join instead of EXISTS, which PostgreSQL answers from the solved problems of all users.
    submitted = select(Submission.problem_id, is_solving().label("solved"), false().label("completed")).outerjoin(
        Judging, Judging.submission_id == Submission.id
    )
    completed = select(Completion.problem_id, true().label("solved"), true().label("completed"))
    each = union_all(
        submitted.where(Submission.user_id == user_id), completed.where(Completion.user_id == user_id)
    ).subquery()
    state = case((func.bool_or(each.c.completed), "completed"), (func.bool_or(each.c.solved), "solved"), else_="tried")
    return select(each.c.problem_id, state.label("state")).group_by(each.c.problem_id).subquery("states")
