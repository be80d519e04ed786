"""Putting a judging into its queue, and taking it out again. `app.worker.lease` is the other side.

Fairness: the more of their judgings wait, the lower the priority of a user's next one. So somebody's hundred
submissions go in turn with other people's, and another's only one is next but for the hundred's first.
"""

from uuid import UUID

from sqlalchemy import Text, cast, func, select, update
from sqlalchemy.orm import Session

from app.submissions.model import Judging, Submission

CANCELLED = "cancelled by an admin"


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


def cancel(session: Session, judging_id: int) -> None:
    """A waiting judging ends at once, a running one when its worker next beats. One that is done stays as it is."""
    waiting = (
        update(Judging)
        .where(Judging.id == judging_id, Judging.state == "queued")
        .values(state="done", verdict="judge_error", reason=CANCELLED, finished_at=func.now(), cancel_requested=True)
        .returning(func.pg_notify("progress", cast(Judging.submission_id, Text)))
    )
    if session.execute(waiting).first() is None:
        running = update(Judging).where(Judging.id == judging_id, Judging.state == "judging")
        session.execute(running.values(cancel_requested=True))
