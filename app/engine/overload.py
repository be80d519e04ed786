"""Detect an overloaded machine, and wait until it is less busy.

The time that other processes take is not charged to a case, but they also slow it down through memory and caches. And
no case may take more than ten times its limit. So a time limit verdict counts only if the machine had free cores, or if
the case has run once more.
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

# Share of a case's time that other processes may take.
SHARE = 0.1
LOOK_SECONDS = 0.1
LOOKS = 10
# For a run whose time decides.
LONGEST_WAIT_SECONDS = 60.0
# For a run that timed out: most of them hang, and their students wait too. A waiting judging holds a slot, but no box.
LONGEST_WAIT_AFTER_TIMEOUT_SECONDS = 20.0


def was_overloaded(outcome: CaseOutcome) -> bool:
    """Whether the program waited for its cores, or the machine's load exceeded its cores in the last minute.

    The first sees only waits for a core; the second also counts processes that wait for a disk.
    """
    return outcome.left_out_seconds > SHARE * outcome.wall_seconds or os.getloadavg()[0] > count_cores()


class OverloadWaits:
    """Limits the waits of one worker's judgings: at most half of its slots, and one per user. Visitors have none.

    A program's own threads count as load, so its author can cause a wait. A judging that may not wait runs its cases
    again at once.
    """

    def __init__(self, slots: int) -> None:
        self._seats = max(1, slots // 2)
        self._lock = threading.Lock()
        self._waiting: set[UUID] = set()

    def wait(self, user_id: UUID | None, longest_seconds: float, abort: threading.Event) -> None:
        """Wait until the machine is less busy, if a wait is allowed. Raises Aborted when `abort` is set."""
        with self.seat(user_id) as has_seat:
            if has_seat:
                wait_until_quieter(longest_seconds, abort)

    @contextmanager
    def seat(self, user_id: UUID | None) -> Iterator[bool]:
        """Yield whether a judging of this user may wait. The seat is freed after the block."""
        if user_id is None:
            yield False
            return
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
    """Return when fewer threads run than there are cores, averaged over a second, or after the longest wait.

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
    """Return how many threads of the machine run or wait for a core, without this one."""
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0]) - 1
