"""Cancelling a submission, by its student or by an admin."""

from sqlalchemy import Text, cast, func, update
from sqlalchemy.orm import Session

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
    unfinished = (Judging.submission_id == submission.id, Judging.is_current, Judging.state.in_(["queued", "judging"]))
    ended = (
        update(Judging)
        .where(*unfinished)
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
    return session.execute(ended).first() is not None
