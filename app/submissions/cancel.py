"""Cancelling a submission, by its student or by an admin, or all unfinished ones of a user, by an admin."""

from uuid import UUID

from sqlalchemy import ColumnElement, Text, cast, func, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.audit import Act, Actor, record
from app.judging.verdicts import Verdict
from app.submissions.enqueue import JUDGING_CHANNEL
from app.submissions.model import Judging, Submission

# The payload on the channel `judging` that tells workers to look for cancelled judgings. Other payloads name a queue.
CANCELLED = "cancelled"


def cancel_as(session: Session, actor: Actor, submission: Submission) -> bool:
    """Cancel the submission. If it belongs to another user, record the actor in the audit log."""
    is_ended = cancel(session, submission)
    if is_ended and actor.user_id != submission.user_id:
        act = Act(action="submission.cancelled", target=submission.id, subject_id=submission.user_id)
        record(session, actor, act)
    return is_ended


def cancel(session: Session, submission: Submission) -> bool:
    """End a queued or running judging. After the COMMIT no worker can write its results.

    A NOTIFY tells its worker to kill the box. Returns False if the judging is done already.
    """
    return end_judgings(session, Judging.submission_id == submission.id) > 0


def cancel_all(session: Session, actor: Actor, user_id: UUID) -> int:
    """Cancel all unfinished submissions of the user, and record it. Return how many ended."""
    of_user = select(Submission.id).where(Submission.user_id == user_id)
    count = end_judgings(session, Judging.submission_id.in_(of_user))
    if count:
        record(session, actor, Act(action="user.queue_cancelled", target=user_id, after={"submissions": count}))
    return count


def is_unfinished() -> tuple[ColumnElement[bool] | InstrumentedAttribute[bool], ...]:
    """Return the conditions of a current judging that a worker has or may still claim."""
    return (Judging.is_current, Judging.state.in_(["queued", "judging"]))


def end_judgings(session: Session, which: ColumnElement[bool]) -> int:
    """End the unfinished judgings as cancelled. Return how many ended."""
    ended = (
        update(Judging)
        .where(which, *is_unfinished())
        .values(
            state="done",
            verdict=Verdict.CANCELLED,
            cancel_requested=True,
            finished_at=func.now(),
            lease_until=None,
        )
        .returning(
            func.pg_notify("progress", cast(Judging.submission_id, Text)), func.pg_notify(JUDGING_CHANNEL, CANCELLED)
        )
    )
    return len(session.execute(ended).all())
