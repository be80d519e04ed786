"""The problems that a user has solved."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.orm import Session

from app.catalog.model import Problem
from app.submissions.model import Judging, Submission


def is_solving(submission: type[Submission] = Submission, judging: type[Judging] = Judging) -> ColumnElement[bool]:
    """Return the condition that a submission's current judging accepted all cases. Runs of the samples don't count."""
    return and_(submission.mode == "submit", judging.verdict == "accepted", judging.is_current)


def list_solved_slugs(session: Session, user_id: UUID) -> frozenset[str]:
    solved = first_solved(user_id).subquery()
    return frozenset(session.scalars(select(Problem.slug).join(solved, solved.c.problem_id == Problem.id)))


def find_solved_at(session: Session, user_id: UUID, problem_id: UUID) -> datetime | None:
    """Return when the user sent the first accepted submission."""
    first = first_solved(user_id).subquery()
    return session.scalar(select(first.c.solved_at).where(first.c.problem_id == problem_id))


def first_solved(user_id: UUID) -> Select[UUID, datetime]:
    """Select `problem_id` and `solved_at` of the problems that the user has solved."""
    return (
        select(Submission.problem_id, func.min(Submission.created_at).label("solved_at"))
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, is_solving())
        .group_by(Submission.problem_id)
    )
