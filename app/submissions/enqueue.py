"""Putting a judging into its queue. `app.queue.lease` is the other side, and `cancel.py` takes it out again.

Fairness: the more of their judgings wait, and the more seconds of judging they had lately, the lower the priority of a
user's next one. So somebody's hundred submissions go in turn with other people's, and another's only one is next but
for the hundred's first; and who had the machine for minutes is behind those who had it for a moment.

What a user has had judged lately, and when there may be more.

A judging counts for as long after its submission was sent as the span says, with the seconds that a worker held it so
far. What is judged again counts for nobody, and neither does what failed by our fault.
"""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission
from app.telemetry.context import note_submission, request_id
from app.telemetry.trace import write_traceparent

HOUR = timedelta(hours=1)


def seconds_used(session: Session, user_id: UUID, span: timedelta) -> float:
    """Of judging, by what this user sent within the span until now."""
    used = _used(user_id, span).subquery()
    return float(session.scalars(select(func.coalesce(func.sum(used.c.seconds), 0))).one())


def when_less_is_used(session: Session, user_id: UUID, span: timedelta, seconds: float) -> datetime:
    """The time from which on fewer than these seconds are of the span that then ends, if nothing is sent meanwhile."""
    left, free_at = 0.0, None
    for created_at, used in session.execute(_used(user_id, span).order_by(Submission.created_at.desc())):
        left += float(used)
        if left >= seconds:
            free_at = created_at + span
            break
    return free_at or session.scalars(select(func.now())).one()


def _used(user_id: UUID, span: timedelta) -> Select[datetime, float]:
    until = func.coalesce(Judging.finished_at, func.now())
    return (
        select(Submission.created_at, func.extract("epoch", until - Judging.started_at).label("seconds"))
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.created_at > func.now() - span)
        .where(Judging.rejudging_id.is_(None), Judging.started_at.is_not(None))
        .where(func.coalesce(Judging.verdict, "") != Verdict.JUDGE_ERROR)
    )


MINUTE = timedelta(minutes=1)
# What nobody waits for: jobs of this priority give way to all of a higher one. See `app.queue.lease_loop`.
BACKGROUND = -1_000_000
# So many seconds of judging, had within the last ten minutes, count as much as a submission that waits.
STEP_SECONDS = 10
LATELY = timedelta(minutes=10)


# The channel on which workers hear that a student has a problem open, by its slug.
OPENED = "opened"


def tell_opened(session: Session, slug: str) -> None:
    """A submission may come soon: workers get ready for it."""
    session.execute(select(func.pg_notify(OPENED, slug)))


def count_unfinished(session: Session, user_id: UUID) -> int:
    """How many judgings of this user are not done; what is judged again does not count."""
    unfinished = (
        select(func.count())
        .select_from(Judging)
        .join(Submission, Submission.id == Judging.submission_id)
        .where(Submission.user_id == user_id, Judging.state.in_(["queued", "judging"]))
        .where(Judging.rejudging_id.is_(None))
    )
    return session.execute(unfinished).scalar_one()


def count_cancelled(session: Session, user_id: UUID) -> int:
    """How many of this user's submissions of the last minute were cancelled."""
    cancelled = (
        select(func.count())
        .select_from(Submission)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.created_at > func.now() - MINUTE)
        .where(Judging.verdict == Verdict.CANCELLED, Judging.rejudging_id.is_(None))
    )
    return session.execute(cancelled).scalar_one()


def rank(session: Session, user_id: UUID) -> int:
    """The priority of this user's next judging: 0 for whoever waits for nothing and had little; above BACKGROUND."""
    steps = int(seconds_used(session, user_id, LATELY) // STEP_SECONDS)
    return max(-count_unfinished(session, user_id) - steps, BACKGROUND + 1)


def enqueue(session: Session, submission: Submission, queue: str) -> Judging:
    """A new judging, seen by workers when the caller's transaction commits, and never if it does not."""
    judging = Judging(
        submission_id=submission.id,
        revision_id=submission.revision_id,
        queue=queue,
        request_id=request_id.get(),
        traceparent=write_traceparent(),
        priority=rank(session, submission.user_id),
    )
    session.add(judging)
    session.flush()
    session.execute(select(func.pg_notify("judging", queue)))
    note_submission(submission.id)
    return judging
