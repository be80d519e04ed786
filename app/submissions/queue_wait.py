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
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CTE,
    ColumnElement,
    Integer,
    Row,
    ScalarSelect,
    Select,
    Subquery,
    Text,
    and_,
    bindparam,
    exists,
    false,
    func,
    or_,
    select,
    tuple_,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import IS_CURRENT, ExpectedOutput, Problem, Revision
from app.catalog.parameter import OPTIONAL_FRAMEWORKS
from app.courses.due import list_homework_problems
from app.database.engine import Database
from app.errors import LimitReached
from app.queue.heartbeat import lacks_boxes, serves
from app.queue.model import BACKGROUND, VISITOR, Job, WorkerRow
from app.queue.route import select_queue
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """`wait` is None for a judging that is done. `notice` says why no worker judges it now, or is None."""

    wait: Wait | None = None
    notice: str | None = None


def forecast(session: Session, submission: Submission, judging: Judging) -> Forecast:
    """Estimate how long the judging still takes."""
    job = judging.job
    if job is None:
        return Forecast()
    kind = {"problem_id": submission.problem_id, "mode": submission.mode}
    variant = {"revision_id": judging.revision_id, "variant": submission.variant}
    place = {"queue": judging.queue, "frameworks": job.frameworks, "priority": job.priority, "job_id": job.id}
    found = session.execute(_FORECAST, {**kind, **variant, **place}).one()
    # Custom inputs have no expected outputs, and are measured with their reference.
    own = found.own_seconds if found.is_prepared or submission.inputs is not None else None
    elapsed = (found.now - judging.queued_at).total_seconds()
    if judging.state == "judging":
        left = None if own is None or job.started_at is None else own - (found.now - job.started_at).total_seconds()
        wait = Wait(ahead=0, seconds=left if left is not None and left > 0 else None, elapsed=elapsed)
    else:
        before = _seconds_before(found)
        wait = Wait(ahead=found.ahead, seconds=None if own is None or before is None else before + own, elapsed=elapsed)
    return Forecast(wait=wait, notice=_explain(judging, found))


def _seconds_before(found: Row[Any]) -> float | None:
    """Estimate the seconds until a slot is free: the work ahead, divided by the slots.

    Running judgings count half, since they are half done on average. Background work gives way and does not count.
    """
    if not found.slots:
        return None
    if found.running + found.ahead < found.slots:
        return 0.0
    waiting = found.ahead_seconds if found.ahead else 0.0
    half_done = found.running_seconds if found.running else 0.0
    return None if waiting is None or half_done is None else float((waiting + half_done / 2) / found.slots)


NO_WORKER = "No {kind} is running now: your submission waits in the queue and will be judged when one starts."
NO_BOX = "No {kind} can open a sandbox now. It tries again and again: your submission waits in the queue until then."
LOST = "The worker that judged your submission stopped. Another one will judge it again when it has a free slot."


def _explain(judging: Judging, found: Row[Any]) -> str | None:
    """Return a notice if no worker can serve the judging's queue, or if its worker has lost the lease."""
    if judging.job is None or judging.job.is_held:
        return None
    if found.slots:
        return LOST if judging.state == "judging" else None
    return (NO_BOX if found.lacks_boxes else NO_WORKER).format(kind=_describe_worker(judging.job))


def _describe_worker(job: Job) -> str:
    kind = "GPU worker" if job.queue == "gpu" else "worker"
    optional = sorted(OPTIONAL_FRAMEWORKS.intersection(job.frameworks))
    return f"{kind} with {' and '.join(optional)}" if optional else kind


def _select_forecast() -> Select[Any]:
    """Select the slots, what a judging of this kind takes, and the judgings ahead and running with their seconds.

    Seconds are medians of the last submissions: of the problem and mode, else of the whole queue. Rejudgings do not
    count, because they wait for other work.
    """
    queue = bindparam("queue", type_=Text)
    has_frameworks = ~WorkerRow.lacks.bool_op("&&")(bindparam("frameworks", type_=ARRAY(Text)))
    slots = select(func.coalesce(func.sum(WorkerRow.slots), 0)).where(serves(queue), has_frameworks)
    last = _last_judged()
    middle = func.percentile_cont(0.5).within_group(last.c.seconds).label("seconds")
    kinds = func.grouping_sets(tuple_(last.c.problem_id, last.c.mode), tuple_())
    medians = select(last.c.problem_id, last.c.mode, middle).where(*_is_typical(last, queue))
    typical = medians.group_by(kinds).cte("typical")
    overall = select(typical.c.seconds).where(typical.c.problem_id.is_(None)).scalar_subquery()
    is_own = (typical.c.problem_id == bindparam("problem_id"), typical.c.mode == bindparam("mode"))
    ahead = _jobs("ahead", Job.queue == queue, Job.lease_until.is_(None), _is_before())
    running = _jobs("running", Job.queue == queue, Job.priority > BACKGROUND, Job.lease_until > func.now())

    def seconds(jobs: CTE) -> ScalarSelect[Any]:
        of_kind = and_(typical.c.problem_id == jobs.c.problem_id, typical.c.mode == jobs.c.mode)
        total = func.sum(func.coalesce(typical.c.seconds, overall))
        return select(total).select_from(jobs.outerjoin(typical, of_kind)).scalar_subquery()

    columns = {
        "now": func.now(),
        "slots": slots.scalar_subquery(),
        "lacks_boxes": exists().where(lacks_boxes(queue), has_frameworks),
        "is_prepared": exists().where(
            ExpectedOutput.revision_id == bindparam("revision_id"),
            ExpectedOutput.variant == bindparam("variant"),
            ExpectedOutput.device == queue,
        ),
        "own_seconds": select(typical.c.seconds).where(*is_own).scalar_subquery(),
        "ahead": select(func.count()).select_from(ahead).scalar_subquery(),
        "ahead_seconds": seconds(ahead),
        "running": select(func.count()).select_from(running).scalar_subquery(),
        "running_seconds": seconds(running),
    }
    return select(*(column.label(name) for name, column in columns.items()))


def _is_before() -> ColumnElement[bool]:
    """Whether workers claim the job first, in the order of `app.queue.lease`."""
    priority = bindparam("priority", type_=Integer)
    return or_(Job.priority > priority, and_(Job.priority == priority, Job.id < bindparam("job_id")))


def _jobs(name: str, *which: ColumnElement[bool]) -> CTE:
    """Select the problem and mode of each of these jobs."""
    each = select(Submission.problem_id, Submission.mode).join(Job, Job.watched == Submission.id)
    return each.where(*which).limit(MAX_AHEAD).cte(name)


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
    waiting: defaultdict[str, Counter[UUID]] = defaultdict(Counter)
    oldest: dict[str, datetime] = {}
    for queue, user_id, count, queued_at in session.execute(_WAITING):
        waiting[queue][user_id] = count
        if queued_at is not None:
            oldest[queue] = min(queued_at, oldest.get(queue, queued_at))
    long = [queue for queue, users in waiting.items() if users.total() > SHORT]
    found = {queue: _read_backlog(session, queue, waiting[queue], oldest.get(queue)) for queue in long}
    return {queue: backlog for queue, backlog in found.items() if backlog is not None}


# Built once, because nearly every submission reads it.
_WAITING = (
    select(Job.queue, User.id, func.count(), func.min(Judging.queued_at).filter(Job.attempt == 0))
    .join(Judging, Judging.id == Job.judging_id)
    .join(Submission, Submission.id == Judging.submission_id)
    .join(User, User.id == Submission.user_id)
    .where(Job.lease_until.is_(None), Job.priority > VISITOR, ~Job.is_rationed)
    .group_by(Job.queue, User.id)
)


def _read_backlog(
    session: Session, queue: str, waiting: Counter[UUID], waiting_since: datetime | None
) -> Backlog | None:
    """Return None without a worker or without measurements.

    The pace is measured over the later half of the judgings that finished while others waited, so that no slot was
    free. If these are too few, it is the mean seconds of a judging, divided by the slots.
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
    is_measured = count >= LEAST_MEASURED and middle_at < now
    each = (now - middle_at).total_seconds() / (count / 2) if is_measured else float(mean) / slots
    return Backlog(
        waiting=waiting,
        seconds_each=CAUTION * each,
        oldest_seconds=0.0 if waiting_since is None else (now - waiting_since).total_seconds(),
        recent_seconds=read_recent_seconds(session),
    )


def _count_slots(session: Session, queue: str) -> int:
    return session.scalars(select(func.coalesce(func.sum(WorkerRow.slots), 0)).where(serves(queue))).one()


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


def _is_typical(last: Subquery, queue: str | ColumnElement[str]) -> tuple[ColumnElement[bool], ...]:
    is_judged = last.c.verdict.not_in(["judge_error", "cancelled"])
    return last.c.queue == queue, is_judged, last.c.seconds.is_not(None)


# Built once, because each read of an event stream runs it: building takes longer than running.
_FORECAST = _select_forecast()


class QueueWaits:
    """The backlog of each long queue, read from the database every FRESH_SECONDS: 25 ms for 300 submissions.

    While a queue is long, it also knows each problem's queue, so that `check` asks no database. `homework`: the slugs
    of problems that can be handed in, so that a hand-in is refused by no limit that protects the server.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._known: Mapping[str, Backlog] = {}
        self._queues: Mapping[str, str] = {}
        self._homework: frozenset[str] | None = None
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
                    self._homework = list_homework_problems(session)
            except SQLAlchemyError:
                self._known = {}
            finally:
                self._read_at = time.monotonic()
                self._lock.release()
        return self._known

    def find_queue(self, slug: str) -> str:
        """Return the queue of the problem if a queue was long at the last `read`; empty for an unknown problem."""
        return self._queues.get(slug, "")

    def may_be_handed_in(self, slug: str) -> bool:
        """Whether a submission for the problem may be a hand-in, by the last `read`."""
        return self._homework is None or slug in self._homework

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
    return dict(session.execute(select(Problem.slug, select_queue(session)).join(Revision, IS_CURRENT)).all())


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
