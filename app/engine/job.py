"""A job of `app.engine.judge`: what to judge, and what all steps of its judging work with."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event

from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.engine.custom_checker import CustomChecker
from app.engine.overload import was_overloaded
from app.engine.prepare import PreparedCase
from app.engine.request import answer_bytes
from app.judging.report import told_seconds
from app.judging.verdicts import CaseResult, Phase, PhaseName, Verdict, Visibility
from sandbox.interface import CaseOutcome, Ending, OnCase
from sandbox.pool import Pool

# Most bytes of one answer, and of all answers of one judging.
ANSWER_BYTES = 2**20
KEPT_BYTES = 4 * 2**20

_CHANCE = random.SystemRandom()

Tell = Callable[[Sequence[Phase]], None]

# A program could encode hidden inputs in the duration of these phases.
OF_THE_PROGRAM: frozenset[PhaseName] = frozenset({"running", "inspecting", "again", "timing", "checking"})


class Timeline:
    """One phase runs at a time. `tell` gets all phases so far whenever another begins.

    `visibility`: hidden if any case is; then times are coarse.
    """

    def __init__(self, tell: Tell = lambda _: None, visibility: Visibility = "hidden") -> None:
        self._tell, self._visibility = tell, visibility
        self._ended: dict[PhaseName, float] = {}
        self._aside: dict[PhaseName, float] = {}
        self._name: PhaseName | None = None
        self._since = 0.0

    @property
    def spent(self) -> dict[str, float]:
        """Exact seconds per phase, which students must not see."""
        return {str(name): seconds for name, seconds in (*self._ended.items(), *self._aside.items())}

    def begin(self, name: PhaseName) -> None:
        self.close()
        self._name, self._since = name, time.monotonic()
        self._tell([*self._phases(), Phase(name=name, seconds=None)])

    @contextmanager
    def aside(self, name: PhaseName) -> Iterator[None]:
        """Count time that interrupts the current phase repeatedly; it is reported at the end."""
        began = time.monotonic()
        try:
            yield
        finally:
            taken = time.monotonic() - began
            self._since += taken
            self._aside[name] = self._aside.get(name, 0.0) + taken

    def end(self) -> tuple[Phase, ...]:
        self.close()
        return tuple(self._phases() + [self._phase(name, seconds) for name, seconds in self._aside.items()])

    def close(self) -> None:
        """End the phase, also after an error."""
        if self._name is not None:
            self._ended[self._name] = self._ended.get(self._name, 0.0) + time.monotonic() - self._since
        self._name = None

    def _phases(self) -> list[Phase]:
        return [self._phase(name, seconds) for name, seconds in self._ended.items()]

    def _phase(self, name: PhaseName, seconds: float) -> Phase:
        shown = told_seconds(self._visibility, seconds) if name in OF_THE_PROGRAM else seconds
        return Phase(name=name, seconds=round(shown, 3))


OnResult = Callable[[CaseResult], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to judge. `cases` are in the order in which they run.

    `references`: boxes for the package's own checker.py, and for the reference where it is timed. `inspectors`: boxes
    for exported programs. Neither kind ever holds a submission's source. `on_outcome` is called with the outcome of
    each case before it is compared.
    `wait_until_quieter` waits for a quieter machine, and raises Aborted when the event is set; None: late cases do not
    run once more. `runs_in_parallel`: a second process may share the cases. `card`: the name of the GPU, if all of the
    worker's are alike.
    """

    package: Package
    source: str
    cases: Sequence[PreparedCase]
    references: Pool | None = None
    inspectors: Pool | None = None
    on_outcome: OnCase = lambda _: None
    timeline: Timeline = field(default_factory=Timeline)
    wait_until_quieter: Callable[[Event], None] | None = None
    runs_in_parallel: bool = False
    card: str = ""

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


@dataclass(slots=True)
class Outcomes:
    """By name of the case: `costs` are outcomes without answers, `answers` are those that are small enough."""

    costs: dict[str, CaseOutcome] = field(default_factory=dict)
    answers: dict[str, bytes] = field(default_factory=dict)
    room: int = KEPT_BYTES

    def add(self, outcome: CaseOutcome) -> None:
        self.costs[outcome.name] = replace(outcome, answer=None, text="")
        size = len(outcome.answer or b"")
        if outcome.answer is not None and size <= min(ANSWER_BYTES, self.room):
            self.answers[outcome.name] = outcome.answer
            self.room -= size


class WaitOnce:
    """Waits until the machine is less busy, once in a judging."""

    def __init__(self, job: Job, abort: Event) -> None:
        self._wait, self._timeline, self._abort = job.wait_until_quieter, job.timeline, abort

    @property
    def may_wait(self) -> bool:
        return self._wait is not None

    def excuses(self, outcome: CaseOutcome) -> bool:
        """Whether the case timed out because of the machine's load, and may run once more."""
        return self.may_wait and outcome.ending is Ending.TIMED_OUT and was_overloaded(outcome)

    def wait(self) -> None:
        """Raises Aborted."""
        wait, self._wait = self._wait, None
        assert wait is not None, "this judging may not wait"
        self._timeline.begin("waiting")
        wait(self._abort)


class Results:
    """The results so far. A student who was shown a final one never sees it change.

    `right`: accepted results, by case, of which a later step finds out more.
    """

    def __init__(self, on_result: OnResult) -> None:
        self._on_result = on_result
        self._final: list[CaseResult] = []
        self.right: dict[str, CaseResult] = {}

    def keep(self, result: CaseResult) -> None:
        """Make the result final."""
        self.right.pop(result.name, None)
        self._final.append(result)
        self._on_result(result)

    def settle(self, result: CaseResult, *, may_change: bool) -> None:
        """Make the result final, unless it is accepted and a later step may change that."""
        if may_change and result.verdict is Verdict.ACCEPTED:
            self.right[result.name] = result
        else:
            self.keep(result)

    @property
    def are_accepted(self) -> bool:
        return all(result.verdict is Verdict.ACCEPTED for result in self._final)

    @property
    def by_position(self) -> tuple[CaseResult, ...]:
        return tuple(sorted(self._final, key=lambda result: result.position))


class Context:
    """What every step works with.

    `drawn`: the case that is confirmed by a second run, if there is one. `timed`: the names of the cases whose times
    are compared. `too_slow`: the first sample took too long, so no process begins any more.
    """

    def __init__(self, job: Job, pool: Pool, on_result: OnResult, abort: Event) -> None:
        self.job, self.pool, self.abort = job, pool, abort
        self.results = Results(on_result)
        self.overload = WaitOnce(job, abort)
        self.checker = CustomChecker(job.package, job.references, abort)
        self.drawn = _draw(job)
        self.timed = frozenset(case.name for cases in job.timed_cases.values() for case in cases)
        self.too_slow = Event()

    def is_confirmed_or_timed(self, case: PreparedCase) -> bool:
        """Whether a step after the examination may refuse this case."""
        return case is self.drawn or case.name in self.timed


def _draw(job: Job) -> PreparedCase | None:
    """Return the case for the second run. None: the problem is not deterministic, or has no open case.

    The first case is drawn only where there is no other: it was the first of its process already.
    """
    cases = job.open_cases
    return _CHANCE.choice(cases[1:] or cases) if cases and job.manifest.deterministic else None
