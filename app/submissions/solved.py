"""Which problems a user has solved."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
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
    accepted = (
        select(func.min(Submission.created_at))
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.problem_id == problem_id)
        .where(Submission.mode == "submit", Judging.verdict == "accepted")
    )
    return session.scalar(accepted)
