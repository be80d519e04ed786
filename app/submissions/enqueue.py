"""Putting a judging into its queue. `app.worker.lease` is the other side, and `cancel.py` takes it out again.

Fairness: the more of their judgings wait, the lower the priority of a user's next one. So somebody's hundred
submissions go in turn with other people's, and another's only one is next but for the hundred's first.
"""

from datetime import timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission
from app.telemetry.context import request_id

MINUTE = timedelta(minutes=1)


def count_unfinished(session: Session, user_id: UUID) -> int:
    """How many judgings of this user are not done."""
    unfinished = (
        select(func.count())
        .select_from(Judging)
        .join(Submission, Submission.id == Judging.submission_id)
        .where(Submission.user_id == user_id, Judging.state.in_(["queued", "judging"]))
    )
    return session.execute(unfinished).scalar_one()


def count_cancelled(session: Session, user_id: UUID) -> int:
    """How many of this user's submissions of the last minute were cancelled."""
    cancelled = (
        select(func.count())
        .select_from(Submission)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.created_at > func.now() - MINUTE)
        .where(Judging.verdict == Verdict.CANCELLED)
    )
    return session.execute(cancelled).scalar_one()


def enqueue(session: Session, submission: Submission, queue: str) -> Judging:
    """A new judging, seen by workers when the caller's transaction commits, and never if it does not."""
    judging = Judging(
        submission_id=submission.id,
        revision_id=submission.revision_id,
        queue=queue,
        request_id=request_id.get(),
        priority=-count_unfinished(session, submission.user_id),
    )
    session.add(judging)
    session.flush()
    session.execute(select(func.pg_notify("judging", queue)))
    return judging
