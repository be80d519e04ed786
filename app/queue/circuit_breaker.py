"""Circuit breaker: a worker claims nothing for a while after a box could not be opened.

The cause may be an engine that restarts, or a failed GPU. After several refusals in a row the worker stops, instead of
using up every judging's attempts.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.queue.lease import Claim
from sandbox.interface import SandboxAway, SandboxUnavailable

if TYPE_CHECKING:
    from app.queue.lease_loop import Run

LONGEST_SECONDS = 30.0

_log = logging.getLogger(__name__)


class CircuitBreaker:
    """Each pause is twice as long as the one before, until a judging succeeds. Logs the first pause and the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times = 0
        self._until = 0.0

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def begin(self, reason: Exception) -> None:
        """Judgings that fail at the same time cause one pause."""
        with self._lock:
            if self.seconds_left:
                return
            self._until = time.monotonic() + min(2.0**self._times, LONGEST_SECONDS)
            self._times += 1
            is_first = self._times == 1
        if is_first:
            _log.error("No box can be opened. Judgings go back to the queue, and claiming pauses: %s", reason)

    def end(self) -> None:
        with self._lock:
            was_away, self._times, self._until = self._times > 0, 0, 0.0
        if was_away:
            _log.warning("Boxes can be opened again")


# A single refusal may be due to one problem, whose frameworks the image lacks.
MOST_REFUSALS = 3


class RefusalLimit:
    """Calls `stop` once, when this many judgings in a row found no box. `reason`: the last refusal, set then."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._lock = threading.Lock()
        self._refusals = 0
        self.reason: SandboxUnavailable | None = None

    def watching(self, judge: "Run") -> "Run":
        def judge_or_stop(claim: Claim, abort: threading.Event) -> None:
            try:
                judge(claim, abort)
            except SandboxAway:  # costs no attempt
                raise
            except SandboxUnavailable as error:
                self._count(error)
                raise
            with self._lock:
                self._refusals = 0

        return judge_or_stop

    def _count(self, error: SandboxUnavailable) -> None:
        with self._lock:
            self._refusals += 1
            if self._refusals != MOST_REFUSALS:
                return
            self.reason = error
        self._stop()
