"""The wait in a queue: the forecast for a submission, and the admission of new ones.

A forecast comes from recent judgings, the queue ahead and the number of slots. There is none without measurements: for
a problem that had no judging lately, and while the submission's variant is not prepared, since the reference runs
first. A student whose submission no worker judges gets a notice instead.

A queue takes new submissions only while they can be judged within the time that the policy allows. A flood fills a
queue in seconds, while its students and their browsers have not slowed the workers down yet. So a queue may first
become half as long as the policy allows. It grows on as its oldest judging waits, and its pace is known.
"""

import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, Subquery, exists, false, func, or_, select, tuple_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import IS_CURRENT, ExpectedOutput, Problem, Revision
from app.database.engine import Database
from app.errors import LimitReached
from app.queue.heartbeat import has_worker, lacks_boxes, serves
from app.queue.model import BACKGROUND, VISITOR, Job, WorkerRow
from app.submissions.model import Judging, Submission
from app.submissions.usage import count_steps, read_recent_seconds
from app.submissions.view import Wait

# An estimate uses the last submissions that got a verdict in the same queue.
RECENT = 200
# Longer queues are not counted exactly.
MAX_AHEAD = 1000
# So many of them tell how quickly a queue moves.
LEAST_MEASURED = 20
# A queue may move more slowly than lately: students follow their submissions, which takes cores from the workers.
CAUTION = 1.2
# So few waiting submissions are never too many.
SHORT = 20

FRESH_SECONDS = 1.0
# A long queue whose oldest submission has waited less is soon empty.
BUSY_SECONDS = 5.0
MINUTE = 60

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
    if judging.job is None:
        return None
    typical = _read_typical(session, judging.queue)
    own = typical.by_kind.get((submission.problem_id, submission.mode)) if _is_prepared(session, judging) else None
    elapsed = _seconds_since(session, judging.queued_at)
    if judging.state == "judging":
        left = None if own is None else own - _seconds_since(session, judging.job.started_at)
        return Wait(ahead=0, seconds=left if left is not None and left > 0 else None, elapsed=elapsed)
    ahead = _ahead(session, judging.job)
    before = _seconds_before(session, judging, ahead, typical)
    seconds = None if own is None or before is None else before + own
    return Wait(ahead=ahead.total(), seconds=seconds, elapsed=elapsed)


def _is_prepared(session: Session, judging: Judging) -> bool:
    """Whether the expected outputs are there. Custom inputs have none, and are measured with their reference."""
    prepared = exists().where(
        ExpectedOutput.revision_id == judging.revision_id,
        ExpectedOutput.variant == Submission.variant,
        ExpectedOutput.device == judging.queue,
    )
    is_ready = select(or_(Submission.inputs.is_not(None), prepared)).where(Submission.id == judging.submission_id)
    return session.scalars(is_ready).one()


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """A long queue: how many judgings wait, by user, and the seconds from one that leaves the queue to the next.

    `seconds_each` is CAUTION times the estimate. `oldest_seconds`: how long a judging has waited, at most.
    `recent_seconds`: of judging, by user.
    """

    waiting: Counter[UUID]
    seconds_each: float
    oldest_seconds: float
    recent_seconds: Mapping[UUID, float] = field(default_factory=dict)

    def estimate_wait(self, unfinished: int, recent_steps: int = 0) -> float:
        """Estimate the seconds until a new submission of a user with so many unfinished ones is judged.

        Users take turns: one more of each user with as many unfinished ones comes first, and `recent_steps` more, since
        recent judging lowers the priority too. Users with fewer unfinished ones may still send as many.
        """
        counts = list(self.waiting.values())  # a copy, since other threads add users
        first = sum(min(count, unfinished + 1 + recent_steps) for count in counts)
        return max(first, unfinished * len(counts)) * self.seconds_each


def read_backlogs(session: Session) -> dict[str, Backlog]:
    """Return the backlogs by queue. Short queues, and queues that no worker serves, are left out.

    Custom inputs do not count: workers claim them one at a time, so they hold up only each other.
    """
    never_judged = func.min(Judging.queued_at).filter(Job.attempt == 0)
    counted = (
        select(Job.queue, User.id, func.count(), never_judged)
        .join(Judging, Judging.id == Job.judging_id)
        .join(Submission, Submission.id == Judging.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(Job.lease_until.is_(None), Job.priority > VISITOR, ~Job.is_rationed)
        .group_by(Job.queue, User.id)
    )
    waiting: defaultdict[str, Counter[UUID]] = defaultdict(Counter)
    now = session.scalars(select(func.now())).one()
    oldest: dict[str, datetime] = {}
    for queue, user_id, count, queued_at in session.execute(counted):
        waiting[queue][user_id] = count
        if queued_at is not None:
            oldest[queue] = min(queued_at, oldest.get(queue, queued_at))
    return {
        queue: Backlog(
            waiting=users,
            seconds_each=CAUTION * each,
            oldest_seconds=(now - oldest.get(queue, now)).total_seconds(),
            recent_seconds=read_recent_seconds(session),
        )
        for queue, users in waiting.items()
        if users.total() > SHORT and (each := _seconds_each(session, queue, oldest.get(queue))) is not None
    }


def _seconds_each(session: Session, queue: str, waiting_since: datetime | None) -> float | None:
    """Return the seconds from one judging that leaves the queue to the next.

    They are measured over the later half of the judgings that finished while others waited, so that no slot was free.
    If these are too few, they are the mean seconds of a judging, divided by the slots.
    """
    slots, last = _count_slots(session, queue), _last_judged()
    is_busy = false() if waiting_since is None else last.c.finished_at >= waiting_since
    middle = func.percentile_disc(0.5).within_group(last.c.finished_at).filter(is_busy)
    mean, count, middle_at, now = session.execute(
        select(func.avg(last.c.seconds), func.count().filter(is_busy), middle, func.now()).where(
            *_is_typical(last, queue)
        )
    ).one()
    if not slots or mean is None:
        return None
    if count >= LEAST_MEASURED and middle_at < now:
        return float((now - middle_at).total_seconds() / (count / 2))
    return float(mean) / slots


def _read_typical(session: Session, queue: str) -> _TypicalSeconds:
    """Return the medians of the last submissions. Rejudgings do not count, because they wait for other work."""
    last = _last_judged()
    middle = func.percentile_cont(0.5).within_group(last.c.seconds)
    kinds = func.grouping_sets(tuple_(last.c.problem_id, last.c.mode), tuple_())
    medians = select(last.c.problem_id, last.c.mode, middle).where(*_is_typical(last, queue))
    by_kind: dict[Kind, float] = {}
    overall: float | None = None
    for problem_id, mode, seconds in session.execute(medians.group_by(kinds)):
        if problem_id is None:
            overall = seconds
        else:
            by_kind[problem_id, mode] = seconds
    return _TypicalSeconds(by_kind, overall)


def _last_judged() -> Subquery:
    took = func.extract("epoch", Judging.finished_at - Judging.started_at)
    kind = (Submission.problem_id, Submission.mode)
    return (
        select(*kind, took.label("seconds"), Judging.finished_at, Judging.verdict, Judging.queue)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Judging.verdict.is_not(None), Judging.rejudging_id.is_(None))
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .limit(RECENT)
        .subquery()
    )


def _is_typical(last: Subquery, queue: str) -> tuple[ColumnElement[bool], ...]:
    is_judged = last.c.verdict.not_in(["judge_error", "cancelled"])
    return last.c.queue == queue, is_judged, last.c.seconds.is_not(None)


def _ahead(session: Session, job: Job) -> Counter[Kind]:
    """Count the queued judgings that workers claim first, in the order of `app.queue.lease`."""
    is_before = or_(Job.priority > job.priority, (Job.priority == job.priority) & (Job.id < job.id))
    return _count_kinds(session, Job.queue == job.queue, Job.lease_until.is_(None), is_before)


def _count_kinds(session: Session, *which: ColumnElement[bool]) -> Counter[Kind]:
    each = select(Submission.problem_id, Submission.mode).join(Job, Job.watched == Submission.id)
    some = each.where(*which).limit(MAX_AHEAD).subquery()
    counted = select(some.c.problem_id, some.c.mode, func.count()).group_by(some.c.problem_id, some.c.mode)
    return Counter({(problem_id, mode): count for problem_id, mode, count in session.execute(counted)})


def _seconds_before(session: Session, judging: Judging, ahead: Counter[Kind], typical: _TypicalSeconds) -> float | None:
    """Estimate the seconds until a slot is free: the work ahead, divided by the slots.

    Running judgings count half, since they are half done on average. Background work gives way and does not count.
    """
    slots = _count_slots(session, judging.queue)
    is_held = Job.lease_until > func.now()
    running = _count_kinds(session, Job.queue == judging.queue, Job.priority > BACKGROUND, is_held)
    if not slots:
        return None
    if running.total() + ahead.total() < slots:
        return 0.0
    waiting, half_done = _total(ahead, typical), _total(running, typical)
    return None if waiting is None or half_done is None else (waiting + half_done / 2) / slots


def _count_slots(session: Session, queue: str) -> int:
    return session.scalars(select(func.coalesce(func.sum(WorkerRow.slots), 0)).where(serves(queue))).one()


def _total(kinds: Counter[Kind], typical: _TypicalSeconds) -> float | None:
    each = [(typical.of(kind), count) for kind, count in kinds.items()]
    known = [seconds * count for seconds, count in each if seconds is not None]
    return sum(known) if len(known) == len(each) else None


def _seconds_since(session: Session, moment: datetime | None) -> float:
    return float(session.scalars(select(func.extract("epoch", func.now() - moment))).one())


NO_WORKER = "No {kind} is running now: your submission waits in the queue and will be judged when one starts."
NO_BOX = "No {kind} can open a sandbox now. It tries again and again: your submission waits in the queue until then."
LOST = "The worker that judged your submission stopped. Another one will judge it again when it has a free slot."
_KIND = {"cpu": "worker", "gpu": "GPU worker"}


def explain_wait(session: Session, judging: Judging) -> str | None:
    """Return a notice if no worker can serve the judging's queue, or if its worker has lost the lease."""
    if judging.job is None or judging.job.is_held:
        return None
    if has_worker(session, judging.queue):
        return LOST if judging.state == "judging" else None
    sentence = NO_BOX if lacks_boxes(session, judging.queue) else NO_WORKER
    return sentence.format(kind=_KIND.get(judging.queue, "worker"))


class QueueWaits:
    """The backlog of each long queue, read from the database every FRESH_SECONDS: 25 ms for 300 submissions.

    While a queue is long, it also knows each problem's queue, so that `check` asks no database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._known: Mapping[str, Backlog] = {}
        self._queues: Mapping[str, str] = {}
        self._read_at = -FRESH_SECONDS

    def is_fresh(self) -> bool:
        """Whether `read` would ask no database now."""
        return time.monotonic() - self._read_at < FRESH_SECONDS or self._lock.locked()

    @property
    def has_long_queue(self) -> bool:
        """Whether a queue was long at the last `read`, and its oldest submission has waited for a while."""
        return any(backlog.oldest_seconds >= BUSY_SECONDS for backlog in self._known.values())

    def read(self) -> Mapping[str, Backlog]:
        """Return the backlogs by queue. Do not call it inside a transaction."""
        if not self.is_fresh() and self._lock.acquire(blocking=False):
            try:
                with self._database.transaction() as session:
                    self._known = read_backlogs(session)
                    self._queues = _read_queues(session) if self._known else {}
            except SQLAlchemyError:
                self._known = {}
            finally:
                self._read_at = time.monotonic()
                self._lock.release()
        return self._known

    def find_queue(self, slug: str) -> str:
        """Return the queue of the problem if a queue was long at the last `read`; empty for an unknown problem."""
        return self._queues.get(slug, "")

    def check(self, queue: str, user_id: UUID, max_minutes: int) -> None:
        """Raises LimitReached if a new submission of the user would wait too long. Asks no database.

        `recent_seconds` count because recent judging lowers the user's priority.
        """
        backlog = self._known.get(queue)
        if backlog is not None:
            steps = count_steps(backlog.recent_seconds.get(user_id, 0.0))
            check_admission(backlog, backlog.estimate_wait(backlog.waiting[user_id], steps), max_minutes)

    def add(self, queue: str, user_id: UUID) -> None:
        """Count an admitted submission: the next request may come before the queue is read again."""
        if (backlog := self._known.get(queue)) is not None:
            backlog.waiting[user_id] += 1


def _read_queues(session: Session) -> dict[str, str]:
    gpu = Revision.manifest[("limits", "gpu")].as_boolean()
    rows = session.execute(select(Problem.slug, gpu).join(Revision, IS_CURRENT))
    return {slug: "gpu" if is_gpu else "cpu" for slug, is_gpu in rows}


def check_admission(backlog: Backlog, wait_seconds: float, max_minutes: int) -> None:
    """Raises LimitReached if a new submission would wait too long."""
    most = max_minutes * MINUTE
    allowed = min(most, most / 2 + backlog.oldest_seconds)
    longer = wait_seconds - allowed
    if longer > 0:
        raise LimitReached(
            f"too many submissions are waiting: a new one would wait {math.ceil(wait_seconds / MINUTE)} min, and the "
            f"limit is {round(allowed / MINUTE, 1):g} min now. Your code is kept; submit again in a few minutes.",
            timedelta(seconds=max(longer, 10)),
        )
