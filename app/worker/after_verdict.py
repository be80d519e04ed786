"""Work that follows a verdict and delays no student: one job after the other, in a thread of its own."""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Full, Queue

from app.submissions.judging_record import JudgingClaim
from sandbox.interface import Aborted

# More jobs would only wait while this machine is busy.
MOST_WAITING = 50

_log = logging.getLogger(__name__)

Task = Callable[[], None]


class AfterVerdict:
    """`loss`: the log text for a claim whose job failed. `stopping`: set when jobs should end early."""

    def __init__(self, name: str, loss: str, most_waiting: int = MOST_WAITING) -> None:
        self.stopping = threading.Event()
        self._loss = loss
        self._open: Queue[tuple[JudgingClaim, Task] | None] = Queue(most_waiting)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Waiting jobs are dropped."""
        self.stopping.set()
        with suppress(Full):
            self._open.put_nowait(None)
        self._thread.join()

    def offer(self, claim: JudgingClaim, job: Task) -> bool:
        """Add a job. Return False when too many jobs wait."""
        try:
            self._open.put_nowait((claim, job))
        except Full:
            return False
        return True

    def _run(self) -> None:
        while (waiting := self._open.get()) is not None and not self.stopping.is_set():
            claim, job = waiting
            try:
                job()
            except Aborted:
                return
            except Exception:
                _log.exception("%s %s", claim, self._loss)
