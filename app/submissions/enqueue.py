"""Putting a judging into its queue. `app.worker.lease` is the other side, and `cancel.py` takes it out again.

Fairness: the more of their judgings wait, the lower the priority of a user's next one. So somebody's hundred
submissions go in turn with other people's, and another's only one is next but for the hundred's first.
"""

from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.submissions.model import Judging, Submission


def count_unfinished(session: Session, user_id: UUID) -> int:
    """How many judgings of this user are not done."""
    unfinished = (
        select(func.count())
        .select_from(Judging)
        .join(Submission, Submission.id == Judging.submission_id)
        .where(Submission.user_id == user_id, Judging.state.in_(["queued", "judging"]))
    )
    return session.execute(unfinished).scalar_one()


def enqueue(session: Session, submission: Submission, queue: str) -> Judging:
    """A new judging, seen by workers when the caller's transaction commits, and never if it does not."""
    judging = Judging(
        submission_id=submission.id,
        queue=queue,
        priority=-count_unfinished(session, submission.user_id),
    )
    session.add(judging)
    session.flush()
    session.execute(select(func.pg_notify("judging", queue)))
    return judging
