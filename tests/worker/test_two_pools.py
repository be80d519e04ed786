"""References and submissions never meet in a box."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from app.database.engine import Database
from app.engine.boxes import Pools
from app.engine.overload import OverloadWaits
from app.worker.expected import ExpectedOutputs
from app.worker.work import Works
from app.worker.worker import Lane, Lanes, Worker
from sandbox.interface import Box, BoxSpec, CaseOutcome, Launcher, Request, RunOutcome
from sandbox.pool import Pool
from tests.worker.bench import REFERENCE, Bench, CountingPool

SOLUTION = REFERENCE + "\n# of a student\n"


class Overheard(Box):
    def __init__(self, box: Box, sources: set[str]) -> None:
        self.box, self.ready, self.sources = box, box.ready, sources

    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        self.sources.add(request.source)
        return self.box.run(request, on_case, abort)

    def is_usable(self) -> bool:
        return self.box.is_usable()

    def close(self) -> None:
        self.box.close()


class Listening(Pool):
    def __init__(self, launcher: Launcher) -> None:
        super().__init__(launcher, capacity=1, max_runs=100)
        self.sources: set[str] = set()

    @contextmanager
    def lease(self, spec: BoxSpec, abort: threading.Event, problem: str = "") -> Iterator[Box]:
        with super().lease(spec, abort, problem) as box:
            yield Overheard(box, self.sources)


def test_a_reference_never_runs_where_a_submission_does(
    database: Database, launcher: Launcher, pool: CountingPool
) -> None:
    bench = Bench(database, pool)
    bench.send(bench.publish(), SOLUTION)

    with closing(Listening(launcher)) as students, closing(Listening(launcher)) as references:
        expected = ExpectedOutputs(database, references, "cpu")
        pools = Pools(students=students, inspectors=students)
        lane = Lane(expected=expected, pools=pools)
        lanes = Lanes(interactive=lane, background=lane, overload_waits=OverloadWaits(slots=1))
        worker = Worker(database, Works(database), lanes, bench.hint_recorder())
        worker.judge(bench.claim(), threading.Event())

    assert bench.judging().verdict == "accepted"
    assert students.sources == {SOLUTION}
    assert REFERENCE in references.sources
    assert SOLUTION not in references.sources
