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
    steps = int(sum_judging_seconds(session, user_id, USAGE_WINDOW) // SECONDS_PER_STEP)
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


def sum_judging_seconds(session: Session, user_id: UUID, span: timedelta) -> float:
    """Return the judging seconds of the submissions that this user sent within the last `span`."""
    used = _used(user_id, span).subquery()
    return float(session.scalars(select(func.coalesce(func.sum(used.c.seconds), 0))).one())


def find_quota_reset(session: Session, user_id: UUID, span: timedelta, seconds: float) -> datetime:
    """Return when the user's usage falls below `seconds`, if the user sends nothing until then."""
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
