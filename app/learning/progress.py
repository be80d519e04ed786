"""A user's progress with problems: new, tried, solved or completed."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Subquery, and_, case, delete, false, func, select, true, union_all
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.errors import Conflict
from app.learning.bookmark import Bookmark, find_bookmarked_at
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
    """A user's hints, quiz, solution lock, completion and bookmark for one problem."""

    hints: Hints
    quiz: Quiz
    lock: Lock
    completed_at: datetime | None
    bookmarked_at: datetime | None


def read_learning(session: Session, user_id: UUID, slug: str) -> Learning:
    """Raises NotFound."""
    lesson = get_lesson(session, slug, user_id)
    return Learning(
        hints=read_hints(session, user_id, lesson),
        quiz=read_quiz(session, user_id, lesson),
        lock=read_lock(session, user_id, lesson.problem_id),
        completed_at=find_completed_at(session, user_id, lesson.problem_id),
        bookmarked_at=find_bookmarked_at(session, user_id, lesson.problem_id),
    )


def states_for(viewer: Viewer | None) -> Subquery | None:
    return states_of(viewer.id) if viewer else None


def states_of(user_id: UUID) -> Subquery:
    """Select `problem_id`, `state` and `is_bookmarked` of the user's submitted or bookmarked problems.

    All others are new and without a bookmark.
    """
    # A join instead of EXISTS, which PostgreSQL answers from the solved problems of all users.
    submitted = (
        select(Submission.problem_id, is_solving().label("solved"), *_flags(is_tried=True))
        .outerjoin(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id)
    )
    completed = select(Completion.problem_id, true().label("solved"), *_flags(is_completed=True))
    bookmarked = select(Bookmark.problem_id, false().label("solved"), *_flags(is_bookmarked=True))
    each = union_all(
        submitted, completed.where(Completion.user_id == user_id), bookmarked.where(Bookmark.user_id == user_id)
    ).subquery()
    state = case(
        (func.bool_or(each.c.completed), "completed"),
        (func.bool_or(each.c.solved), "solved"),
        (func.bool_or(each.c.tried), "tried"),
        else_="new",
    )
    return (
        select(each.c.problem_id, state.label("state"), func.bool_or(each.c.bookmarked).label("is_bookmarked"))
        .group_by(each.c.problem_id)
        .subquery("states")
    )


def _flags(
    *, is_tried: bool = False, is_completed: bool = False, is_bookmarked: bool = False
) -> tuple[ColumnElement[bool], ...]:
    flags = {"tried": is_tried, "completed": is_completed, "bookmarked": is_bookmarked}
    return tuple((true() if value else false()).label(name) for name, value in flags.items())
