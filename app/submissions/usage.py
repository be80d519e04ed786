"""A user's recent submissions, from which the quotas and the fair priority are computed.

The judging time is the time that workers held the user's judgings. Rejudgings and judge errors do not count.

Each unfinished judging of a user, and each 10 s of judging in the last ten minutes, lowers the priority of the user's
next one. So one user's backlog interleaves with everyone else's work. The priorities of a queue start at that of its
next judging, as in start-time fair queueing. Otherwise, users with less unfinished work would pass a waiting judging
without end.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, ScalarSelect, Select, bindparam, func, select
from sqlalchemy.orm import Session

from app.judging.verdicts import Verdict
from app.queue.model import VISITOR, Job
from app.submissions.model import Judging, Submission
from app.submissions.solved import IS_WITHHELD

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
PRIORITY_WINDOW = timedelta(minutes=10)
# This much recent judging counts as much as one unfinished submission.
SECONDS_PER_STEP = 10
_STARTED_AT = func.coalesce(Judging.started_at, Job.started_at)
SIZE = func.octet_length(Submission.source) + func.coalesce(func.octet_length(Submission.inputs), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One user's usage now.

    `unfinished`, `unfinished_custom`: judgings in the queue or running, and those with custom inputs. `cancelled`: of
    the submissions of the last minute. `sent`, `sent_bytes`, `judging_seconds`: of the last hour. `recent_seconds`:
    judging seconds of the last PRIORITY_WINDOW. Refusals name `unfinished` and `judging_seconds`, so hand-ins whose
    results are hidden do not count there.
    """

    unfinished: int
    unfinished_custom: int
    cancelled: int
    sent: int
    sent_bytes: int
    judging_seconds: float
    recent_seconds: float


def read_usage(session: Session, user_id: UUID) -> Usage:
    """Read the usage in one statement."""
    row = session.execute(_USAGE, {_USER.key: user_id}).one()
    return Usage(**{**row._mapping, "judging_seconds": float(row[5]), "recent_seconds": float(row[6])})


def read_recent_seconds(session: Session) -> dict[UUID, float]:
    """Return the judging seconds of the last PRIORITY_WINDOW, by user."""
    which = (Submission.user_id.is_not(None), *_is_charged(), _is_since(PRIORITY_WINDOW))
    each = select(Submission.user_id, _total()).join(Judging, Judging.submission_id == Submission.id)
    each = each.outerjoin(Job, Job.judging_id == Judging.id)
    rows = session.execute(each.where(*which).group_by(Submission.user_id))
    return {user_id: float(seconds) for user_id, seconds in rows}


def list_sizes(session: Session, user_id: UUID) -> list[tuple[datetime, float]]:
    """Return the time and the bytes of each submission of the last hour, the latest first."""
    return _list(session, select(Submission.created_at, SIZE).where(*_sent(user_id, HOUR)))


def list_judging_seconds(session: Session, user_id: UUID) -> list[tuple[datetime, float]]:
    """Return the time and the judging seconds of each submission of the last hour, the latest first."""
    own = select(Submission.created_at, _seconds()).join(Judging, Judging.submission_id == Submission.id)
    own = own.outerjoin(Job, Job.judging_id == Judging.id)
    return _list(session, own.where(Submission.user_id == user_id, *_is_charged(), _is_since(HOUR), ~IS_WITHHELD))


def read_front(session: Session, queue: str) -> int:
    """Return the priority of the queue's next judging; 0 if none waits."""
    waiting = (Job.queue == queue, Job.lease_until.is_(None), Job.priority > VISITOR)
    return session.scalar(select(Job.priority).where(*waiting).order_by(Job.priority.desc()).limit(1)) or 0


def compute_priority(usage: Usage, front: int) -> int:
    """Return the next judging's priority: `front` for a user with nothing pending and no recent usage, else lower."""
    return max(front - usage.unfinished - count_steps(usage.recent_seconds), VISITOR + 1)


def count_steps(recent_seconds: float) -> int:
    """Return by how much recent judging lowers the priority."""
    return int(recent_seconds // SECONDS_PER_STEP)


def _list(session: Session, rows: Select[datetime, float]) -> list[tuple[datetime, float]]:
    found = session.execute(rows.order_by(Submission.created_at.desc()))
    return [(created_at, float(amount)) for created_at, amount in found]


def _judged(amount: ColumnElement[Any], *which: ColumnElement[bool]) -> ScalarSelect[Any]:
    own = select(amount).select_from(Judging).join(Submission, Submission.id == Judging.submission_id)
    own = own.outerjoin(Job, Job.judging_id == Judging.id)
    own = own.where(Submission.user_id == _USER, Judging.rejudging_id.is_(None), *which)
    return own.scalar_subquery()


def _sent(user_id: UUID | BindParameter[UUID], span: timedelta) -> tuple[ColumnElement[bool], ...]:
    return Submission.user_id == user_id, _is_since(span)


def _is_since(span: timedelta) -> ColumnElement[bool]:
    return Submission.created_at > func.now() - span


def _is_charged() -> tuple[ColumnElement[bool], ...]:
    return (
        Judging.rejudging_id.is_(None),
        _STARTED_AT.is_not(None),
        func.coalesce(Judging.verdict, "") != Verdict.JUDGE_ERROR,
    )


def _total() -> ColumnElement[Any]:
    return func.coalesce(func.sum(_seconds()), 0)


def _seconds() -> ColumnElement[Any]:
    return func.extract("epoch", func.coalesce(Judging.finished_at, func.now()) - _STARTED_AT)


def _select_usage() -> Select[Any]:
    unfinished = Judging.verdict.is_(None)
    lately = _sent(_USER, HOUR)
    columns = {
        "unfinished": _judged(func.count(), unfinished, ~IS_WITHHELD),
        "unfinished_custom": _judged(func.count(), unfinished, Submission.inputs.is_not(None)),
        "cancelled": _judged(func.count(), Judging.verdict == Verdict.CANCELLED, _is_since(MINUTE)),
        "sent": select(func.count()).where(*lately).scalar_subquery(),
        "sent_bytes": select(func.coalesce(func.sum(SIZE), 0)).where(*lately).scalar_subquery(),
        "judging_seconds": _judged(_total(), *_is_charged(), _is_since(HOUR), ~IS_WITHHELD),
        "recent_seconds": _judged(_total(), *_is_charged(), _is_since(PRIORITY_WINDOW)),
    }
    return select(*(column.label(name) for name, column in columns.items()))


_USER: BindParameter[UUID] = bindparam("user_id")
# Built once, because every submission reads it: building takes longer than running.
_USAGE = _select_usage()
