"""A worker that meets one refusal after another to open a box stops, instead of spending every judging's attempts."""

import threading
from collections.abc import Callable

from app.worker.lease import Claim
from app.worker.lease_loop import Run
from sandbox.interface import SandboxAway, SandboxUnavailable

# One may be a problem's own, whose frameworks an image lacks.
MOST_REFUSALS = 3


class Inability:
    """`stop` is called once, when so many judgings in a row found no box. `reason`: the last refusal, from then on."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._lock = threading.Lock()
        self._refusals = 0
        self.reason: SandboxUnavailable | None = None

    def watching(self, judge: Run) -> Run:
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
