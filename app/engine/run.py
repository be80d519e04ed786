"""Run every case of a request, even if some of them kill the student's process; and start runs ahead of time."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import replace
from threading import Event, Timer
from typing import Generic, TypeVar

from sandbox.interface import Aborted, Box, BoxLost, BoxSpec, OnCase, Request
from sandbox.pool import Pool

# Each process loads the source again and may run into the time limit while other students wait.
PROCESSES = 3

LOOK_SECONDS = 0.05
# Time for a run whose result is no longer needed to end by itself, so that its box can be used again.
GRACE_SECONDS = 1.0

T = TypeVar("T")


def run_cases(
    pool: Pool, spec: BoxSpec, request: Request, on_case: OnCase, abort: Event, processes: int = PROCESSES
) -> Box:
    """Call `on_case` once for every case, in order. Return the box that ran them.

    A case that kills its process ends the run; the rest goes into a new process as a new request. After `processes`
    processes have died, the rest is not run, and `on_case` is not called for it.

    Raises BoxLost when a box fails, Aborted when `abort` is set.
    """
    with pool.lease(spec, abort, request.problem) as box:
        run_all(box, request, on_case, abort, processes=processes)
    return box


def run_all(
    box: Box,
    request: Request,
    on_case: OnCase,
    abort: Event,
    is_hopeless: Callable[[], bool] = lambda: False,
    processes: int = PROCESSES,
) -> None:
    """Like `run_cases`, in a box that is already leased. If `is_hopeless` after a process, the rest is not run."""
    queue = request.to_take()
    for _ in range(processes):
        outcome = box.run(replace(request, queue=queue), on_case, abort)
        if outcome.load_failure is not None:
            while (case := queue.take()) is not None:
                on_case(replace(outcome.load_failure, name=case.name))
        if len(queue) == 0 or is_hopeless():
            break
        if not outcome.cases:
            raise BoxLost("the box ended its run without an outcome for any case")


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
