"""Estimating a submission's remaining time from recent judgings, the queue ahead of it and the number of slots."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select, tuple_
from sqlalchemy.orm import Session

from app.submissions.model import Judging, Submission, WorkerRow
from app.submissions.priority import BACKGROUND
from app.submissions.queue_status import serves
from app.submissions.view import Wait

# An estimate uses the last submissions that got a verdict in the same queue.
RECENT = 200
# Longer queues are not counted exactly.
MAX_AHEAD = 1000
# So few waiting submissions are never too many.
SHORT = 20

Kind = tuple[UUID, str]


@dataclass(frozen=True, slots=True)
class _TypicalSeconds:
    """The median seconds of a judging, by problem and mode, and in the whole queue."""

    by_kind: Mapping[Kind, float]
    overall: float | None

    def of(self, kind: Kind) -> float | None:
        return self.by_kind.get(kind, self.overall)


def forecast(session: Session, submission: Submission, judging: Judging) -> Wait | None:
    """Estimate how long the judging still takes. None if it is done."""
    if judging.state == "done":
        return None
    typical = _read_typical(session, judging.queue)
    own = typical.of((submission.problem_id, submission.mode))
    elapsed = _age(session, judging)
    if judging.state == "judging":
        left = None if own is None else own - _running_for(session, judging)
        return Wait(ahead=0, seconds=left if left is not None and left > 0 else None, elapsed=elapsed)
    ahead = _ahead(session, judging)
    before = _seconds_before(session, judging, ahead, typical)
    seconds = None if own is None or before is None else before + own
    return Wait(ahead=len(ahead), seconds=seconds, elapsed=elapsed)


def estimate_waits(session: Session) -> dict[str, float]:
    """Estimate the seconds until a new submission is judged, by queue.

    Short queues, and queues that no worker serves, are left out.
    """
    counted = (
        select(Judging.queue, func.count())
        .where(Judging.state == "queued", Judging.priority > BACKGROUND)
        .group_by(Judging.queue)
        .having(func.count() > SHORT)
    )
    waits = {}
    for queue, count in session.execute(counted):
        slots, each = _count_slots(session, queue), _read_typical(session, queue).overall
        if slots and each is not None:
            waits[queue] = count * each / slots
    return waits


def _read_typical(session: Session, queue: str) -> _TypicalSeconds:
    """Return the medians of the last submissions. Rejudgings do not count, because they wait for other work."""
    took = func.extract("epoch", Judging.finished_at - Judging.started_at)
    last = (
        select(Submission.problem_id, Submission.mode, took.label("seconds"), Judging.verdict, Judging.queue)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Judging.state == "done", Judging.rejudging_id.is_(None))
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .limit(RECENT)
        .subquery()
    )
    is_typical = (last.c.queue == queue, last.c.verdict.not_in(["judge_error", "cancelled"]))
    middle = func.percentile_cont(0.5).within_group(last.c.seconds)
    kinds = func.grouping_sets(tuple_(last.c.problem_id, last.c.mode), tuple_())
    medians = select(last.c.problem_id, last.c.mode, middle).where(*is_typical, last.c.seconds.is_not(None))
    by_kind: dict[Kind, float] = {}
    overall: float | None = None
    for problem_id, mode, seconds in session.execute(medians.group_by(kinds)):
        if problem_id is None:
            overall = seconds
        else:
            by_kind[problem_id, mode] = seconds
    return _TypicalSeconds(by_kind, overall)


def _ahead(session: Session, judging: Judging) -> list[Kind]:
    """List the queued judgings that workers claim first, in the order of `app.queue.lease`."""
    is_before = or_(
        Judging.priority > judging.priority, (Judging.priority == judging.priority) & (Judging.id < judging.id)
    )
    waiting = (Judging.queue == judging.queue, Judging.state == "queued", is_before)
    return _kinds(session, *waiting)


def _kinds(session: Session, *which: ColumnElement[bool]) -> list[Kind]:
    query = select(Submission.problem_id, Submission.mode).join(Judging, Judging.submission_id == Submission.id)
    return [(problem_id, mode) for problem_id, mode in session.execute(query.where(*which).limit(MAX_AHEAD))]


def _seconds_before(session: Session, judging: Judging, ahead: list[Kind], typical: _TypicalSeconds) -> float | None:
    """Estimate the seconds until a slot is free: the work ahead, divided by the slots.

    Running judgings count half, since they are half done on average. Background work gives way and does not count.
    """
    slots = _count_slots(session, judging.queue)
    is_held = (Judging.state == "judging", Judging.lease_until > func.now())
    running = _kinds(session, Judging.queue == judging.queue, Judging.priority > BACKGROUND, *is_held)
    if not slots:
        return None
    if len(running) + len(ahead) < slots:
        return 0.0
    waiting, half_done = _total(ahead, typical), _total(running, typical)
    return None if waiting is None or half_done is None else (waiting + half_done / 2) / slots


def _count_slots(session: Session, queue: str) -> int:
    return session.scalars(select(func.coalesce(func.sum(WorkerRow.slots), 0)).where(serves(queue))).one()


def _total(kinds: Iterable[Kind], typical: _TypicalSeconds) -> float | None:
    each = [typical.of(kind) for kind in kinds]
    return None if None in each else sum(seconds for seconds in each if seconds is not None)


def _age(session: Session, judging: Judging) -> float:
    return float(session.scalars(select(func.extract("epoch", func.now() - judging.queued_at))).one())


def _running_for(session: Session, judging: Judging) -> float:
    return float(session.scalars(select(func.extract("epoch", func.now() - judging.started_at))).one())
