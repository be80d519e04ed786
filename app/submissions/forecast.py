"""How long a submission still takes: from what recent judgings took, what stands before it, and how many can run."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from app.submissions.enqueue import BACKGROUND
from app.submissions.model import Judging, Submission, WorkerRow
from app.submissions.view import Wait
from app.submissions.waiting import takes

# Of the last so many submissions, those of the queue that came to a verdict are what an estimate stands on.
RECENT = 200
# More than these need not be counted one by one to know that it takes long.
MOST_AHEAD = 1000

Kind = tuple[UUID, str]


@dataclass(frozen=True, slots=True)
class _Habit:
    """What judgings usually take: by problem and mode, and in the whole queue."""

    by_kind: Mapping[Kind, float]
    usual: float | None

    def of(self, kind: Kind) -> float | None:
        return self.by_kind.get(kind, self.usual)


def forecast(session: Session, submission: Submission, judging: Judging) -> Wait | None:
    """None when it is done."""
    if judging.state == "done":
        return None
    habit = _read_habit(session, judging.queue)
    own = habit.of((submission.problem_id, submission.mode))
    elapsed = _age(session, judging)
    if judging.state == "judging":
        left = None if own is None else own - _running_for(session, judging)
        return Wait(ahead=0, seconds=left if left is not None and left > 0 else None, elapsed=elapsed)
    ahead = _ahead(session, judging)
    before = _seconds_before(session, judging, ahead, habit)
    seconds = None if own is None or before is None else before + own
    return Wait(ahead=len(ahead), seconds=seconds, elapsed=elapsed)


def _read_habit(session: Session, queue: str) -> _Habit:
    """Of the last submissions, not the last judgings: what is judged again takes its time."""
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
    rows = session.execute(select(last).where(*is_typical, last.c.seconds.is_not(None)))
    by_kind: defaultdict[Kind, list[float]] = defaultdict(list)
    for row in rows:
        by_kind[row.problem_id, row.mode].append(float(row.seconds))
    return _Habit(
        {kind: median(seconds) for kind, seconds in by_kind.items()},
        median([one for seconds in by_kind.values() for one in seconds]) if by_kind else None,
    )


def _ahead(session: Session, judging: Judging) -> list[Kind]:
    """Of those that wait and are taken before it, as `app.queue.lease` claims them: none in the background."""
    is_before = or_(
        Judging.priority > judging.priority, (Judging.priority == judging.priority) & (Judging.id < judging.id)
    )
    waiting = (Judging.queue == judging.queue, Judging.state == "queued", is_before)
    return _kinds(session, *waiting)


def _kinds(session: Session, *which: ColumnElement[bool]) -> list[Kind]:
    query = select(Submission.problem_id, Submission.mode).join(Judging, Judging.submission_id == Submission.id)
    return [(problem_id, mode) for problem_id, mode in session.execute(query.where(*which).limit(MOST_AHEAD))]


def _seconds_before(session: Session, judging: Judging, ahead: list[Kind], habit: _Habit) -> float | None:
    """Until a slot is free for it: all that is before it, shared by the slots. What runs is half done, on average.

    What runs in the background gives way.
    """
    slots = session.scalars(select(func.coalesce(func.sum(WorkerRow.slots), 0)).where(takes(judging.queue))).one()
    is_held = (Judging.state == "judging", Judging.lease_until > func.now())
    running = _kinds(session, Judging.queue == judging.queue, Judging.priority > BACKGROUND, *is_held)
    if not slots:
        return None
    if len(running) + len(ahead) < slots:
        return 0.0
    waiting, half_done = _total(ahead, habit), _total(running, habit)
    return None if waiting is None or half_done is None else (waiting + half_done / 2) / slots


def _total(kinds: Iterable[Kind], habit: _Habit) -> float | None:
    each = [habit.of(kind) for kind in kinds]
    return None if None in each else sum(seconds for seconds in each if seconds is not None)


def _age(session: Session, judging: Judging) -> float:
    return float(session.scalars(select(func.extract("epoch", func.now() - judging.queued_at))).one())


def _running_for(session: Session, judging: Judging) -> float:
    return float(session.scalars(select(func.extract("epoch", func.now() - judging.started_at))).one())
