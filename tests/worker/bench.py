"""Helpers for worker tests: a quick problem and its variations, its queue, and real boxes."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import make_url, select

from app.catalog.model import Revision
from app.catalog.package import Package, load_package, package_from_files
from app.catalog.publish import publish
from app.database.engine import Database
from app.engine.boxes import Pools
from app.engine.job import Job
from app.engine.judge import judge
from app.engine.overload import OverloadWaits
from app.engine.prepare import PreparedCase
from app.judging.verdicts import Finish
from app.queue.lease_loop import LeaseLoop
from app.submissions.judging_record import JudgingClaim
from app.submissions.model import CaseRow, Judging
from app.submissions.view import Mode
from app.worker.expected import ExpectedOutputs
from app.worker.hint_recorder import HintRecorder, KnownMistakes
from app.worker.run_cost import CostRecorder
from app.worker.work import Works
from app.worker.worker import Lane, Worker
from sandbox.interface import Box, BoxSpec, CaseInput, CaseOutcome, Launcher, ObservedQueue, Request, RunOutcome
from sandbox.pool import Pool
from tests.factories import make_judging, make_submission
from tests.queue.test_lease import take_one
from tests.queue.test_lease_loop import BY_NOTIFY_ONLY, loop
from tests.transaction import commit, fetch_all, fetch_one

STANDARDISE = load_package(Path(__file__).parents[1] / "hostile" / "problems" / "standardise")
REFERENCE = STANDARDISE.reference
RETURN = "    return (x - x.mean())"


class CountingPool(Pool):
    leases = 0

    @contextmanager
    def lease(self, spec: BoxSpec, abort: threading.Event) -> Iterator[Box]:
        self.leases += 1
        with super().lease(spec, abort) as box:
            yield box


class Overheard(Box):
    def __init__(self, box: Box, requests: list[Request]) -> None:
        self.box, self.requests, self.ready = box, requests, box.ready

    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        taken: list[CaseInput] = []
        self.requests.append(replace(request, cases=taken, queue=None))
        request = replace(request, queue=ObservedQueue(request.to_take(), taken.append))
        return self.box.run(request, on_case, abort)

    def is_usable(self) -> bool:
        return self.box.is_usable()

    def close(self) -> None:
        self.box.close()


class Listening(CountingPool):
    """Records the requests to its boxes, with the cases that were taken."""

    def __init__(self, launcher: Launcher) -> None:
        super().__init__(launcher, capacity=3, max_runs=100)
        self.requests: list[Request] = []

    @contextmanager
    def lease(self, spec: BoxSpec, abort: threading.Event) -> Iterator[Box]:
        with super().lease(spec, abort) as box:
            yield Overheard(box, self.requests)


def have_idle(pool: Pool, spec: BoxSpec, boxes: int) -> None:
    """Make sure that at least this many boxes are idle."""
    with ExitStack() as leases:
        for _ in range(boxes):
            leases.enter_context(pool.lease(spec, threading.Event()))


@dataclass(frozen=True)
class Bench:
    database: Database
    pool: CountingPool

    @property
    def pools(self) -> Pools:
        """Pools without inspectors' boxes."""
        return Pools(students=self.pool, inspectors=self.pool)

    def publish(self, package: Package = STANDARDISE) -> Revision:
        return commit(self.database, publish, package)

    def send(self, revision: Revision, source: str = REFERENCE, mode: Mode = "submit") -> int:
        with self.database.transaction() as session:
            submission = make_submission(session, revision=revision, mode=mode)
            submission.source = source
            return make_judging(session, submission.id).id

    def judge(self, revision: Revision, source: str = REFERENCE, mode: Mode = "submit") -> Judging:
        self.send(revision, source, mode)
        self.worker().judge(self.claim(), threading.Event())
        return self.judging()

    def claim(self) -> JudgingClaim:
        return take_one(self.database)

    def expected(self) -> ExpectedOutputs:
        return ExpectedOutputs(self.database, self.pool, "cpu")

    def worker(
        self, hint_recorder: HintRecorder | None = None, pools: Pools | None = None, background: Pools | None = None
    ) -> Worker:
        """`pools`: other ones than the references', and `background` for judgings again."""
        interactive = Lane(expected=self.expected(), pools=pools or self.pools)
        return Worker(
            self.database,
            Works(self.database),
            hint_recorder or self.hint_recorder(),
            interactive=interactive,
            background=interactive if background is None else replace(interactive, pools=background),
            overload_waits=OverloadWaits(slots=1),
        )

    def cost_recorder(self) -> CostRecorder:
        return CostRecorder(self.database, self.expected(), "here", lambda _, step: step(threading.Event()))

    def known(self) -> KnownMistakes:
        return KnownMistakes(self.database, self.expected())

    def hint_recorder(self) -> HintRecorder:
        return HintRecorder(self.database, self.known())

    def loop(self) -> AbstractContextManager[LeaseLoop[JudgingClaim]]:
        return loop(self.database, self.worker().judge, BY_NOTIFY_ONLY)

    def judging(self) -> Judging:
        return fetch_one(self.database, select(Judging))

    def case_names(self) -> list[str]:
        return fetch_all(self.database, select(CaseRow.name).order_by(CaseRow.position))


def judge_source(
    source: str, pool: Pool, cases: Sequence[PreparedCase], package: Package = STANDARDISE, **more: Any
) -> Finish:
    """`more`: of the job."""
    job = Job(package=package, source=source, cases=cases, **more)
    return judge(job, pool, lambda _: None, threading.Event())


def changed(old: str, new: str, slug: str | None = None, package: Package = STANDARDISE) -> Package:
    """A package of one file with one thing changed, by default the quick problem."""
    text = package.files["problem.yaml"].decode()
    assert old in text
    return package_from_files(slug or package.slug, {"problem.yaml": text.replace(old, new, 1).encode()})


def with_reference_line(line: str, slug: str = STANDARDISE.slug) -> Package:
    """The quick problem whose reference runs `line` before it answers."""
    return changed(f"  {RETURN}", f"      {line}\n  {RETURN}", slug)


@contextmanager
def database_away(database: Database) -> Iterator[None]:
    """Cut every connection, and refuse new ones."""
    url = make_url(database.url)
    name = url.database
    admin = url.set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
