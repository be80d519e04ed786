"""Runs of a submission that begin before their turn, in boxes of their own, while the first run still goes on.

They begin where a core and a box are idle: starting a box would take more of the cores than such a run does. There are
three of them.

- The second run: one case, drawn at random, is called again as the first one of another process. Its answer must be
  right there too. That process does not have what the first one remembers of other cases, nor its count of calls, its
  clock or its process id.
- Other shapes: the process of the second run goes on with some shapes of inputs, which the first process leaves out.
- The tracing of the function, for problems that ask for programs.
"""

import random
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Event, Timer
from typing import Generic, TypeVar

from app.catalog.package import Package
from app.worker.boxes import box_spec
from app.worker.prepare import PreparedCase
from app.worker.request import answer_bytes, build_request, patient
from app.worker.run import run_cases
from sandbox.interface import Aborted, CaseInput, CaseOutcome
from sandbox.pool import Pool

LOOK_SECONDS = 0.05
# A run whose result is not needed any more may take so long to end by itself. Its box can then be used again.
GRACE_SECONDS = 1.0

_CHANCE = random.SystemRandom()

T = TypeVar("T")


class RunAhead(Generic[T]):
    """A run that begins early, or else when its result is asked for."""

    def __init__(self, run: Callable[[Event], T]) -> None:
        self._run = run
        self._given_up = Event()
        self._running: Future[T] | None = None

    def begin(self) -> None:
        self._given_up = Event()  # a run that was given up earlier keeps its own event
        executor = ThreadPoolExecutor(1, "run-ahead")
        self._running = executor.submit(copy_context().run, self._run, self._given_up)
        executor.shutdown(wait=False)

    @property
    def has_begun(self) -> bool:
        return self._running is not None

    def give_up(self) -> None:
        """Forget the run, because its result changes nothing any more."""
        running, self._running = self._running, None
        if running is not None and not running.done():
            timer = Timer(GRACE_SECONDS, self._given_up.set)
            timer.daemon = True
            timer.start()

    def result(self, abort: Event) -> T:
        """Raises what the run raises, and Aborted."""
        running, self._running = self._running, None
        if running is None:
            return self._run(abort)
        while not abort.is_set():
            if wait([running], LOOK_SECONDS).done:
                return running.result()
        self._given_up.set()
        raise Aborted


def draw(package: Package, cases: Sequence[PreparedCase]) -> PreparedCase | None:
    """Return the case for the second run. None: the problem is not deterministic.

    The first case is drawn only where there is no other: it was the first of its process already.
    """
    return _CHANCE.choice(cases[1:] or cases) if package.manifest.deterministic else None


def run_again(package: Package, source: str, case: PreparedCase, pool: Pool, abort: Event) -> CaseOutcome:
    """Call one case in a process of its own. Raises BoxLost, Aborted.

    Its time limit is a patient one: the first run may have compiled for this case while it ran others.
    """
    given = [CaseInput(name=case.name, inputs=case.inputs)]
    request = patient(build_request(package, source, given, answer_bytes([case.expected])))
    outcomes: list[CaseOutcome] = []
    run_cases(pool, box_spec(package.manifest), request, outcomes.append, abort)
    (outcome,) = outcomes
    return outcome
