"""Which problems a user has solved."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.catalog.model import Problem
from app.submissions.model import Judging, Submission


def list_solved_slugs(session: Session, user_id: UUID) -> frozenset[str]:
    """Problems of which some submission of all cases was accepted; of sample cases only does not count."""
    solved = (
        select(Problem.slug)
        .join(Submission, Submission.problem_id == Problem.id)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.mode == "submit", Judging.verdict == "accepted")
        .distinct()
    )
    return frozenset(session.scalars(solved))


def find_solved_at(session: Session, user_id: UUID, problem_id: UUID) -> datetime | None:
    """When the first submission of all cases that was accepted had been sent."""
    first = first_solved(user_id).subquery()
    return session.scalar(select(first.c.solved_at).where(first.c.problem_id == problem_id))


def first_solved(user_id: UUID) -> Select[UUID, datetime]:
    """`problem_id` and `solved_at` of the problems that the user has solved."""
    return (
        select(Submission.problem_id, func.min(Submission.created_at).label("solved_at"))
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.mode == "submit", Judging.verdict == "accepted")
        .group_by(Submission.problem_id)
    )
