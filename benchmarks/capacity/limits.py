"""At which size which part of a deployment must change, from the measured costs."""

import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.cli.deployment import MIN_CONNECTIONS
from app.cli.worker import OTHER_CONNECTIONS
from app.submissions.progress import POLL_SECONDS
from benchmarks.capacity.costs import (
    COMMITS,
    LISTENERS,
    NOTIFY,
    WITH_NOTIFY,
    WITHOUT_NOTIFY,
    find,
    read_bytes,
    read_costs,
    read_problems,
)
from benchmarks.capacity.scenarios import FRAMEWORKS, MOST_DATABASE_CORES, UTILISATION, WORKER_CORES
from benchmarks.capacity.simulation import Costs
from benchmarks.capacity.workload import Problem
from benchmarks.report import short
from benchmarks.results import Figure

# A student opens a problem's page once for so many submissions.
SUBMISSIONS_PER_PAGE = 5
# `allclose serve` opens its pool, overflow and listener; a worker has listeners besides its pool.
WEB_CONNECTIONS, WORKER_LISTENERS = 23, 4
# Above this many connections, PostgreSQL needs a pooler in front.
MOST_CONNECTIONS = 500
# The rate at which effects are stated that depend on the rate and on the number of processes.
STATED_RATE = 100.0
BACKUP_GIB, ARCHIVE_GIB = 100, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A part, the size at which it must change, what it changes into, and the figures that say so."""

    part: str
    size: str
    into: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PerSubmission:
    """What one submission costs, with its pages and its event stream: CPU seconds and statements."""

    worker: float
    web: float
    database: float
    reading: float
    statements: float

    @classmethod
    def of(cls, problems: Mapping[str, Problem], costs: Costs) -> "PerSubmission":
        looks = costs.notifications
        reads = ((costs.page, 1 / SUBMISSIONS_PER_PAGE), (costs.result, 1), (costs.progress, looks))
        writes = ((costs.send, 1), (costs.claim, 1), (costs.record, 1), (costs.finish, 1))
        both = (*reads, *writes)
        return cls(
            worker=statistics.mean(_core_seconds(problems[each]) for each in FRAMEWORKS),
            web=sum(times * step.web_cpu for step, times in both),
            database=sum(times * step.database_cpu for step, times in both),
            reading=sum(times * step.database_cpu for step, times in reads),
            statements=sum(times * step.statements for step, times in both),
        )


def _core_seconds(problem: Problem) -> float:
    chance = random.Random(0)
    return problem.cores * statistics.mean(problem.in_warm_box.draw(chance) for _ in range(1000))


def list_limits(measured: Sequence[Figure]) -> Iterator[Limit]:
    """Yield the limits, in the order in which a growing deployment meets them."""
    problems, costs = read_problems(measured), read_costs(measured)
    one = PerSubmission.of(problems, costs)
    yield _machine(one)
    yield _web(one)
    yield _connections()
    yield _streams(costs)
    yield _herd(costs)
    yield _notify(measured, costs)
    yield _fan_out(measured, costs)
    yield _replicas(one)
    yield _database(one)
    yield from _storage(read_bytes(measured))


def _machine(one: PerSubmission) -> Limit:
    rate = UTILISATION * WORKER_CORES / (one.worker + one.web + one.database)
    return Limit(
        part="Embedded PostgreSQL, one machine",
        size=f"{short(rate)} submissions/s",
        into="your own PostgreSQL, and workers on machines of their own",
        why=f"A submission takes {short(one.worker)} s of a core in a box, {short(1000 * one.web)} ms in the web "
        f"process and {short(1000 * one.database)} ms in the database. {WORKER_CORES} cores do that many, half busy. "
        "The embedded server listens on a Unix socket only.",
    )


def _web(one: PerSubmission) -> Limit:
    return Limit(
        part="One web process",
        size=f"{short(UTILISATION / one.web)} submissions/s",
        into="several `allclose serve --no-worker` behind one address",
        why="A process uses one core. Sessions, streams and limits do not depend on the process that answers.",
    )


def _connections() -> Limit:
    worker = WORKER_CORES + OTHER_CONNECTIONS + WORKER_LISTENERS
    few, many = ((number - WEB_CONNECTIONS) // worker for number in (MIN_CONNECTIONS, MOST_CONNECTIONS))
    return Limit(
        part="Connections",
        size=f"{few} workers with {WORKER_CORES} slots; {many} with `max_connections` {MOST_CONNECTIONS}",
        into="a higher `max_connections`; then a pooler for transactions, with the listeners connected directly",
        why=f"A worker opens up to {worker} connections, and a web process {WEB_CONNECTIONS}. PostgreSQL's default is "
        f"{MIN_CONNECTIONS}.",
    )


def _streams(costs: Costs) -> Limit:
    streams = UTILISATION * POLL_SECONDS / costs.progress.web_cpu
    return Limit(
        part="Event streams of a web process",
        size=f"{short(streams)} open streams in one process",
        into="one read for all streams of a submission, and no poll while the listener is connected",
        why=f"Each stream reads its submission every {POLL_SECONDS:g} s, which takes "
        f"{short(1000 * costs.progress.web_cpu)} ms of the process. Verdicts that come soon keep the number small: "
        "it is the rate of submissions times the seconds to the verdict.",
    )


def _herd(costs: Costs) -> Limit:
    workers = UTILISATION / (STATED_RATE * costs.empty_claim.database_cpu)
    return Limit(
        part="A NOTIFY that wakes all workers",
        size=f"{short(workers)} workers with free slots at {STATED_RATE:g} submissions/s",
        into="fewer workers with more slots; then one channel for each group of workers",
        why=f"Every worker with a free slot claims, and all but one get nothing, for "
        f"{short(1000 * costs.empty_claim.database_cpu)} ms of the database each. At this size they use half a core, "
        "and the share grows with the square of the deployment.",
    )


def _notify(measured: Sequence[Figure], costs: Costs) -> Limit:
    free, notifying = (find(measured, COMMITS, "one row", series).median for series in (WITHOUT_NOTIFY, WITH_NOTIFY))
    # A submission notifies its progress, and the workers of the queue.
    rate = UTILISATION * notifying / (costs.notifications + 1)
    return Limit(
        part="Commits with NOTIFY",
        size=f"{short(rate)} submissions/s in one database",
        into="notifications that a relay sends after the commit, or fewer of them; then several databases",
        why=f"PostgreSQL commits transactions with NOTIFY one by one: {short(notifying)} a second, "
        f"and {short(free)} without NOTIFY. A judging makes {costs.notifications} of them for its progress.",
    )


def _fan_out(measured: Sequence[Figure], costs: Costs) -> Limit:
    hear = costs.hear.database_cpu
    most = find(measured, NOTIFY, LISTENERS[-1]).median
    per_process = STATED_RATE * costs.notifications * hear
    size = f"{short(UTILISATION / per_process)} web processes at {STATED_RATE:g} submissions/s" if per_process else "–"
    return Limit(
        part="Progress that every web process hears",
        size=size,
        into="one listener for each machine, which tells the processes beside it",
        why=f"A NOTIFY costs the database {short(most)} ms with {LISTENERS[-1]} listeners. At this size the "
        "notifications of progress use half a core.",
    )


def _replicas(one: PerSubmission) -> Limit:
    cores = MOST_DATABASE_CORES / 4
    return Limit(
        part="Reading from the primary",
        size=f"{short(UTILISATION * cores / one.database)} submissions/s ({cores:.0f} database cores)",
        into="read replicas for pages and lists; a submission's own page stays on the primary until its verdict",
        why=f"{100 * one.reading / one.database:.0f} % of the database's time for a submission is reading.",
    )


def _database(one: PerSubmission) -> Limit:
    return Limit(
        part="One database",
        size=f"{short(UTILISATION * MOST_DATABASE_CORES / one.database)} submissions/s "
        f"({MOST_DATABASE_CORES} database cores)",
        into="several complete deployments, one for each region or group of users, with one sign-in",
        why=f"A submission sends {short(one.statements)} statements. Queues, workers and users of two deployments "
        "share nothing, so all effects that grow with the square begin anew.",
    )


def _storage(bytes_per_submission: float) -> Iterator[Limit]:
    def count(gib: float) -> str:
        return f"{short(gib * 2**30 / bytes_per_submission / 1e6)} million submissions"

    yield Limit(
        part="One table of submissions",
        size=f"{count(BACKUP_GIB)} ({BACKUP_GIB} GiB)",
        into="tables partitioned by month, and `keep_submissions_days`",
        why=f"A submission takes {short(bytes_per_submission / 1024)} KiB with its judging, cases and indexes. "
        "Beyond this size a backup or VACUUM takes hours.",
    )
    yield Limit(
        part="Sources in the database",
        size=f"{count(ARCHIVE_GIB)} ({ARCHIVE_GIB} GiB)",
        into="an archive of old sources and reports in an object store, keyed by their digest",
        why="The database keeps what lists and statistics read.",
    )
