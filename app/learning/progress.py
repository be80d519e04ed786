"""A user's progress with problems: new, tried or solved."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Subquery, case, false, func, select, true, union_all
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.learning.bookmark import Bookmark, find_bookmarked_at
from app.learning.lesson import Hints, get_lesson, read_hints
from app.learning.quiz import Quiz, read_quiz
from app.learning.solution import Lock, read_lock
from app.submissions.model import Judging, Submission
from app.submissions.solved import is_solving


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """A user's hints, quiz, solution lock and bookmark for one problem."""

    hints: Hints
    quiz: Quiz
    lock: Lock
    bookmarked_at: datetime | None


def read_learning(session: Session, user_id: UUID, slug: str) -> Learning:
    """Raises NotFound."""
    lesson = get_lesson(session, slug, user_id)
    return Learning(
        hints=read_hints(session, user_id, lesson),
        quiz=read_quiz(session, user_id, lesson),
        lock=read_lock(session, user_id, lesson.problem_id),
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
        select(Submission.problem_id, is_solving().label("solved"), true().label("tried"), false().label("bookmarked"))
        .outerjoin(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id)
    )
    bookmarked = select(
        Bookmark.problem_id, false().label("solved"), false().label("tried"), true().label("bookmarked")
    )
    each = union_all(submitted, bookmarked.where(Bookmark.user_id == user_id)).subquery()
    state = case(
        (func.bool_or(each.c.solved), "solved"),
        (func.bool_or(each.c.tried), "tried"),
        else_="new",
    )
    return (
        select(each.c.problem_id, state.label("state"), func.bool_or(each.c.bookmarked).label("is_bookmarked"))
        .group_by(each.c.problem_id)
        .subquery("states")
    )
