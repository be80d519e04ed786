"""The fair priority of a user's judgings.

Each unfinished judging of a user, and each 10 s of judging in the last ten minutes, lowers the priority of the user's
next one. So one user's backlog interleaves with everyone else's work. Usage is the time that workers held the user's
judgings. Rejudgings and judge errors do not count.
"""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
# The priority of background work, which gives way to all other work. See `app.queue.running_jobs`.
BACKGROUND = -1_000_000
# This much judging within `USAGE_WINDOW` counts as much as one unfinished submission.
SECONDS_PER_STEP = 10
USAGE_WINDOW = timedelta(minutes=10)


def compute_priority(session: Session, user_id: UUID) -> int:
    """Return the next judging's priority: 0 for a user with nothing pending and no recent usage, else lower."""
    steps = int(sum(seconds for _, seconds in list_judging_seconds(session, user_id, USAGE_WINDOW)) // SECONDS_PER_STEP)
    return max(-count_unfinished(session, user_id) - steps, BACKGROUND + 1)


def count_unfinished(session: Session, user_id: UUID) -> int:
    """Count this user's unfinished judgings, without rejudgings."""
    unfinished = (
        select(func.count())
        .select_from(Judging)
        .join(Submission, Submission.id == Judging.submission_id)
        .where(Submission.user_id == user_id, Judging.state.in_(["queued", "judging"]))
        .where(Judging.rejudging_id.is_(None))
    )
    return session.execute(unfinished).scalar_one()


def count_cancelled(session: Session, user_id: UUID) -> int:
    """Count the submissions that this user sent in the last minute and cancelled."""
    cancelled = (
        select(func.count())
        .select_from(Submission)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.created_at > func.now() - MINUTE)
        .where(Judging.verdict == Verdict.CANCELLED, Judging.rejudging_id.is_(None))
    )
    return session.execute(cancelled).scalar_one()


def list_judging_seconds(session: Session, user_id: UUID, span: timedelta) -> list[tuple[datetime, float]]:
    """Return when the user sent the submissions of the last `span`, and their judging seconds, the latest first."""
    rows = session.execute(_used(user_id, span).order_by(Submission.created_at.desc()))
    return [(created_at, float(seconds)) for created_at, seconds in rows]


def _used(user_id: UUID, span: timedelta) -> Select[datetime, float]:
    until = func.coalesce(Judging.finished_at, func.now())
    return (
        select(Submission.created_at, func.extract("epoch", until - Judging.started_at).label("seconds"))
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.created_at > func.now() - span)
        .where(Judging.rejudging_id.is_(None), Judging.started_at.is_not(None))
        .where(func.coalesce(Judging.verdict, "") != Verdict.JUDGE_ERROR)
    )
