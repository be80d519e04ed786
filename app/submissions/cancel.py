"""Cancelling a submission, by its student or by an admin, or all unfinished ones of a user, by an admin."""

from uuid import UUID

from sqlalchemy import ColumnElement, Text, cast, func, select, update
from sqlalchemy.orm import Session

from app.audit import Act, Actor, record
from app.courses.disclosure import ResultsHidden, disclosure_of
from app.judging.verdicts import Verdict
from app.queue.lease import cancelled
from app.queue.model import CANCELLED, CHANNEL, Job
from app.submissions.model import Judging, Submission


def cancel_as(session: Session, actor: Actor, submission: Submission) -> bool:
    """Cancel the submission. If it belongs to another user, record the actor in the audit log.

    Raises ResultsHidden: whether there was anything left to cancel would tell how long the judging took.
    """
    if actor.user_id is not None:
        hidden = disclosure_of(session, submission.assignment_id, submission.user_id, actor.user_id)
        if hidden.sentence is not None:
            raise ResultsHidden(f"{hidden.sentence} So you can't cancel this hand-in.")
    is_ended = cancel(session, submission)
    if is_ended and actor.user_id != submission.user_id:
        act = Act(action="submission.cancelled", target=submission.id, subject_id=submission.user_id)
        record(session, actor, act)
    return is_ended


def cancel(session: Session, submission: Submission) -> bool:
    """End a queued or running judging. After the COMMIT no worker can write its results.

    A NOTIFY tells its worker to kill the box. Returns False if the judging is done already.
    """
    return end_judgings(session, Judging.submission_id == submission.id, Judging.is_current.is_(True)) > 0


def cancel_all(session: Session, actor: Actor, user_id: UUID) -> int:
    """Cancel all unfinished submissions of the user, and record it. Return how many ended."""
    of_user = select(Submission.id).where(Submission.user_id == user_id)
    count = end_judgings(session, Judging.submission_id.in_(of_user), Judging.is_current.is_(True))
    if count:
        record(session, actor, Act(action="user.queue_cancelled", target=user_id, after={"submissions": count}))
    return count


def end_judgings(session: Session, *which: ColumnElement[bool]) -> int:
    """End the unfinished judgings as cancelled. Return how many ended."""
    job = cancelled(Job.judging_id.in_(select(Judging.id).where(*which)))
    ended = (
        update(Judging)
        .where(Judging.id == job.c.judging_id)
        .values(
            verdict=Verdict.CANCELLED,
            finished_at=func.now(),
            attempt=job.c.attempt,
            worker=job.c.worker,
            started_at=job.c.started_at,
            reason=job.c.reason,
        )
        .returning(func.pg_notify("progress", cast(Judging.submission_id, Text)), func.pg_notify(CHANNEL, CANCELLED))
    )
    return len(session.execute(ended, execution_options={"synchronize_session": False}).all())
