"""What a user has had judged lately, and when there may be more.

A judging counts for as long after its submission was sent as the span says, with the seconds that a worker held it so
far. What is judged again counts for nobody, and neither does what failed by our fault.
"""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission

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
