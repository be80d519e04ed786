"""A job of `app.engine.judge`: what to judge, and what all steps of its judging work with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock

from app.capacity import count_cores
from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.engine.boxes import box_spec
from app.engine.custom_checker import CustomChecker
from app.engine.inspection_cache import Inspections
from app.engine.overload import WaitOnce
from app.engine.prepare import PreparedCase
from app.engine.request import answer_bytes
from app.engine.timeline import Timeline
from app.judging.verdicts import CaseResult, Verdict
from sandbox.interface import CaseOutcome, OnCase
from sandbox.pool import Pool

OnResult = Callable[[CaseResult], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to judge. `cases` are in the order in which they run.

    `references`: boxes for the package's own checker.py, and for the reference where it is timed. `inspectors`: boxes
    for exported programs. Neither kind ever holds a submission's source. `on_outcome` is called with the outcome of
    each case before it is compared.
    `wait_until_quieter` waits for a quieter machine, and raises Aborted when the event is set; None: late cases do not
    run once more. `runs_in_parallel`: runs may begin ahead of their turn. `inspections`: those of earlier programs.
    """

    package: Package
    source: str
    cases: Sequence[PreparedCase]
    references: Pool | None = None
    inspectors: Pool | None = None
    on_outcome: OnCase | None = None
    timeline: Timeline = field(default_factory=Timeline)
    wait_until_quieter: Callable[[Event], None] | None = None
    runs_in_parallel: bool = False
    inspections: Inspections | None = None

    @property
    def manifest(self) -> Manifest:
        return self.package.manifest

    @property
    def open_cases(self) -> list[PreparedCase]:
        return [case for case in self.cases if not case.sealed]

    @property
    def sealed_cases(self) -> list[PreparedCase]:
        return [case for case in self.cases if case.sealed]

    @property
    def timed_cases(self) -> dict[int, list[PreparedCase]]:
        """Return the cases whose times are compared, by size. Empty unless all of the problem's are judged."""
        sizes, cases = self.manifest.timed_cases, {case.name: case for case in self.cases}
        found = dict[int, list[PreparedCase]]()
        if sizes.keys() <= cases.keys():
            for name, size in sizes.items():
                found.setdefault(size, []).append(cases[name])
        return found

    @property
    def answer_bytes(self) -> int:
        """The limit of an answer of an open case."""
        return answer_bytes([case.expected for case in self.open_cases])


class Results:
    """Final results: a student who was shown one never sees it change."""

    def __init__(self, on_result: OnResult) -> None:
        self._on_result = on_result
        self._found: list[CaseResult] = []

    def keep(self, result: CaseResult) -> None:
        self._found.append(result)
        self._on_result(result)

    @property
    def are_accepted(self) -> bool:
        return all(result.verdict is Verdict.ACCEPTED for result in self._found)

    @property
    def by_position(self) -> tuple[CaseResult, ...]:
        return tuple(sorted(self._found, key=lambda result: result.position))


@dataclass(frozen=True, slots=True)
class Context:
    """What every step works with. `timed`: the names of the cases whose times are compared.

    `checking`: results of two processes are checked one after the other. `too_slow`: the first sample took too long, so
    no process begins any more.
    """

    job: Job
    pool: Pool
    abort: Event
    results: Results
    overload: WaitOnce
    checker: CustomChecker
    timed: frozenset[str]
    checking: Lock = field(default_factory=Lock)
    too_slow: Event = field(default_factory=Event)

    @property
    def has_idle_core(self) -> bool:
        return self.job.runs_in_parallel and self.pool.count().busy < count_cores() - 1

    def count_idle_boxes(self) -> int:
        return self.pool.count_idle(box_spec(self.job.manifest))

    def tell(self, outcome: CaseOutcome) -> None:
        if self.job.on_outcome is not None:
            self.job.on_outcome(outcome)
