"""Whether the machine had more to do than it has cores for, and waiting until it has not.

What others take is left out of a case's time, but not all that they cost: memory and caches are shared, and more than
ten times its limit no case may take. So a verdict for time counts only when the machine had cores for the program, or
when the case has run once more.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from app.capacity import count_cores
from sandbox.interface import Aborted, CaseOutcome

# Of a case's time, that others took from its program beside it.
SHARE = 0.1
LOOK_SECONDS = 0.1
LOOKS = 10
# A slot is held meanwhile, though no box.
LONGEST_WAIT_SECONDS = 60.0


def was_overloaded(outcome: CaseOutcome) -> bool:
    """Whether the program was kept from its cores, or the machine's load was above its cores in the last minute.

    The kernel counts only processes that wait for a core for the first, also those that wait for a disk for the second.
    """
    return outcome.left_out_seconds > SHARE * outcome.wall_seconds or os.getloadavg()[0] > count_cores()


class OverloadWaits:
    """The waits of one worker's judgings: in at most half of its slots at once, and one per user.

    A program's own threads count as load, so its author can bring a wait about. A judging without a seat does not wait:
    its cases run once more at once, as they do where the machine never gets quieter.
    """

    def __init__(self, slots: int) -> None:
        self._seats = max(1, slots // 2)
        self._lock = threading.Lock()
        self._waiting: set[UUID] = set()

    def wait(self, user_id: UUID, abort: threading.Event) -> None:
        """Waits until the machine is quieter, if there is a seat. Raises Aborted when `abort` is set meanwhile."""
        with self.seat(user_id) as has_seat:
            if has_seat:
                wait_until_quieter(LONGEST_WAIT_SECONDS, abort)

    @contextmanager
    def seat(self, user_id: UUID) -> Iterator[bool]:
        """Yields whether a judging of this user may wait; its seat is free again after the block."""
        with self._lock:
            has_seat = len(self._waiting) < self._seats and user_id not in self._waiting
            if has_seat:
                self._waiting.add(user_id)
        try:
            yield has_seat
        finally:
            if has_seat:
                with self._lock:
                    self._waiting.discard(user_id)


def wait_until_quieter(longest_seconds: float, abort: threading.Event) -> None:
    """Returns when fewer threads run than there are cores, on average over a second, or after the longest wait.

    Raises Aborted when `abort` is set.
    """
    until = time.monotonic() + longest_seconds
    running: list[int] = []
    while time.monotonic() < until:
        running = [*running[1 - LOOKS :], _count_running()]
        if len(running) == LOOKS and sum(running) / LOOKS < count_cores():
            return
        if abort.wait(LOOK_SECONDS):
            raise Aborted


def _count_running() -> int:
    """Threads of the whole machine that run or wait for a core, without the one that asks."""
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0]) - 1
