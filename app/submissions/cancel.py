"""A student, or an admin, stops the judging of a submission."""

from sqlalchemy import Text, cast, func, update
from sqlalchemy.orm import Session

from app.audit import Act, Actor, record
from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission

# What workers hear on the channel `judging`, in place of a queue's name: one that you run may have been cancelled.
CANCELLED = "cancelled"


def cancel_as(session: Session, actor: Actor, submission: Submission) -> bool:
    """As `cancel`; of somebody else's it is written down who did it."""
    is_ended = cancel(session, submission)
    if is_ended and actor.user_id != submission.user_id:
        act = Act(action="submission.cancelled", target=submission.id, subject_id=submission.user_id)
        record(session, actor, act)
    return is_ended


def cancel(session: Session, submission: Submission) -> bool:
    """It ends at once, whether it waits or runs: from the COMMIT on, no worker can write anything about it.

    The worker that runs it hears of it, and ends its box. False, and nothing changes, when it is done already.
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
        .returning(func.pg_notify("progress", cast(Judging.submission_id, Text)), func.pg_notify("judging", CANCELLED))
    )
    return session.execute(ended).first() is not None
