"""Middleware around judgings: an ordered list of parts that see every judging of a worker.

`app.worker_process` has the list. Each part gets the claim, calls the next part, and gets the judging with its verdict,
or the exception of a judging that failed through no fault of the student. No part decides on a judging: it raises only
what the next part raises. A part must not delay the verdict: longer work belongs into another thread.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.engine.job import Outcomes
from app.judging.verdicts import Finish
from app.submissions.judging_record import JudgingClaim
from app.worker.work import Work
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import DeviceLost, SandboxAway, SandboxUnavailable

# A single refusal may be due to one problem.
MOST_REFUSALS = 3

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingResult:
    """A judging that came to a verdict. `is_written`: no other worker took over, and the student did not cancel it."""

    claim: JudgingClaim
    work: Work
    finish: Finish
    outcomes: Outcomes
    is_written: bool = True


Judge = Callable[[JudgingClaim, threading.Event], JudgingResult]


class Middleware(ABC):
    @abstractmethod
    def around(self, judge: Judge, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        """Call `judge`, the next part, and return what it returns."""


def with_middleware(judge: Judge, middleware: Sequence[Middleware]) -> Judge:
    """Return `judge` inside of all `middleware`. The first part is the outermost."""
    for part in reversed(middleware):
        judge = partial(part.around, judge)
    return judge


class StopAfterRefusals(Middleware):
    """Calls `stop` once, when 3 judgings in a row found no box. `reason`: the last refusal, set then."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._lock = threading.Lock()
        self._refusals = 0
        self.reason: SandboxUnavailable | None = None

    def around(self, judge: Judge, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        try:
            judged = judge(claim, abort)
        except SandboxAway:  # costs no attempt
            raise
        except SandboxUnavailable as error:
            self._count(error)
            raise
        with self._lock:
            self._refusals = 0
        return judged

    def _count(self, error: SandboxUnavailable) -> None:
        with self._lock:
            self._refusals += 1
            if self.reason is not None or self._refusals < MOST_REFUSALS:
                return
            self.reason = error
        self._stop()


class StopWithoutGpus(Middleware):
    """Calls `stop` when the worker has lost all its GPUs. Other workers take its judgings."""

    def __init__(self, gpus: Gpus, stop: Callable[[], None]) -> None:
        self._gpus, self._stop = gpus, stop

    def around(self, judge: Judge, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        try:
            return judge(claim, abort)
        except DeviceLost:
            if self._gpus.are_lost:
                self._stop()
            raise


class StopWhenIdle(Middleware):
    """Calls `stop` when no judging has run for this time."""

    def __init__(self, seconds: float, stop: Callable[[], None]) -> None:
        self._seconds, self._stop = seconds, stop
        self._lock = threading.Lock()
        self._running = 0
        self._timer = self._start_timer()

    def around(self, judge: Judge, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        with self._lock:
            self._running += 1
            self._timer.cancel()
        try:
            return judge(claim, abort)
        finally:
            with self._lock:
                self._running -= 1
                if self._running == 0:
                    self._timer = self._start_timer()

    def _start_timer(self) -> threading.Timer:
        timer = threading.Timer(self._seconds, self._stop)
        timer.daemon = True
        timer.start()
        return timer
