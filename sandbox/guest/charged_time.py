"""The time that a run is charged: wall time minus the time in which other processes held the program's cores.

A thread waits for a core because the program's own threads hold all of its cores, or because other processes do. The
kernel counts for each thread how long it ran and how long it waited (`schedstat`); a wait is counted when it ends. A
sample every 50 ms places the new waiting into the time in which the thread did not run, latest first. For each interval
the thread that waited longest counts. From the sum is subtracted the time in which the program's own threads may have
held all of its cores while another waited. The rest was taken by other processes.

A program is charged at least its processor time divided by its cores, and may take ten times its limit in all. Waits
that have not ended, and threads that live for less than one interval, are not seen, and so are charged.
"""

import os
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

LOOK_SECONDS = 0.05
# A look that comes later than this was frozen, as when the machine is suspended.
LATE_SECONDS = 1.0
# Only this many of the last intervals are kept for a long wait.
MOST_LOOKS = 200
# Includes threads that have ended.
MOST_THREADS = 1000
# On a busy machine a load or a call may take this many times its limit.
MAX_STRETCH = 10

Times = tuple[float, float]


class ThreadTimes:
    """Seconds that each thread of a process ran and waited for a core; empty where the kernel does not count."""

    def __init__(self, pid: int, cores: int) -> None:
        self.cores = cores
        self._folder = f"/proc/{pid}/task"
        self._processor_clock = ~pid << 3 | 2  # of all threads, ended ones too: clock_getcpuclockid(3)

    def read(self) -> dict[str, Times]:
        found = {}
        with suppress(OSError):
            for thread in os.scandir(self._folder):
                with suppress(OSError, ValueError):  # the thread has ended, or the kernel does not count
                    found[thread.name] = self._read_thread(thread.path)
        return found

    def read_processor_seconds(self) -> float:
        try:
            return time.clock_gettime(self._processor_clock)
        except OSError:
            return 0.0

    def _read_thread(self, folder: str) -> Times:
        descriptor = os.open(f"{folder}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            ran, waited, _ = os.read(descriptor, 256).split()
        finally:
            os.close(descriptor)
        return int(ran) / 1e9, int(waited) / 1e9


@dataclass(slots=True)
class _Idle:
    """One interval of a thread: seconds of known waiting, and free seconds in which it may have waited."""

    look: int
    free: float
    waited: float = 0.0


class ChargedTime:
    """Charged seconds since the object was made, with a limit of `limit` seconds. Never decreases."""

    def __init__(self, times: ThreadTimes, limit: float) -> None:
        self._times, self._limit = times, limit
        self._started = self._looked_at = time.monotonic()
        self._ran_before = times.read_processor_seconds()
        self._at_first = times.read()
        self._last = dict(self._at_first)
        self._idle: dict[str, deque[_Idle]] = {}
        # For each interval: how long the longest-waiting thread waited.
        self._waits: list[float] = []
        self._charged = self._frozen = 0.0
        self._charges_waits = False

    def charge_waits(self) -> None:
        """Charge wall time: programs of the student, whose threads are not seen, may have the cores."""
        self._charges_waits = True

    def look(self) -> None:
        """Take a sample if one is due. Must be called often."""
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._look()

    def read(self) -> float:
        self._look()
        return self._charge()

    def is_over(self) -> bool:
        return self._looked_at - self._started > self._limit and self._charge() > self._limit

    @property
    def left_out(self) -> float:
        """Seconds taken by other processes and not charged, as of the last reading."""
        return self._looked_at - self._started - self._charged

    @property
    def frozen(self) -> float:
        """Seconds in which this process could not look. They are charged, and excuse a time limit verdict once."""
        return self._frozen

    def _look(self) -> None:
        found = self._times.read()
        now = time.monotonic()
        elapsed, self._looked_at = now - self._looked_at, now
        self._waits.append(0.0)
        self._frozen += elapsed if elapsed > LATE_SECONDS else 0.0
        for thread, (ran, waited) in found.items():
            ran_before, waited_before = self._last.get(thread, (0.0, 0.0))
            if ran < ran_before or waited < waited_before:  # a new thread has the ID of an ended one
                self._forget(thread)
                ran_before = waited_before = 0.0
            idle = self._idle.setdefault(thread, deque(maxlen=MOST_LOOKS))
            self._place(idle, elapsed, ran - ran_before, waited - waited_before)
        self._idle = {thread: self._idle[thread] for thread in found}
        # The running time of dropped threads is still part of the process's total.
        self._last = found if len(self._last) > MOST_THREADS else self._last | found

    def _forget(self, thread: str) -> None:
        """Drop a thread that has ended. Its running time stays in the process's total, and so counts as unseen."""
        self._last.pop(thread, None)
        self._at_first.pop(thread, None)
        self._idle[thread] = deque(maxlen=MOST_LOOKS)

    def _place(self, idle: deque[_Idle], elapsed: float, ran: float, waited: float) -> None:
        idle.append(_Idle(len(self._waits) - 1, max(0.0, elapsed - ran)))
        for at in reversed(idle):
            part = min(waited, at.free)
            at.free, at.waited, waited = at.free - part, at.waited + part, waited - part
            self._waits[at.look] = max(self._waits[at.look], at.waited)
            if waited <= 0:
                break

    def _charge(self) -> float:
        elapsed = self._looked_at - self._started
        self._charged = max(self._charged, elapsed - self._left_out(elapsed))
        return self._charged

    def _left_out(self, elapsed: float) -> float:
        """Return the time that other processes took."""
        if self._charges_waits:
            return 0.0
        ran = self._times.read_processor_seconds() - self._ran_before
        most = elapsed - ran / self._times.cores
        return max(0.0, min(sum(self._waits) - self._own_waiting(ran), most, (MAX_STRETCH - 1) * self._limit))

    def _own_waiting(self, ran: float) -> float:
        """Return the longest time in which the program's own threads can have held all cores while another waited."""
        running, ready = [], []
        for thread, (ran_in_all, waited_in_all) in self._last.items():
            ran_before, waited_before = self._at_first.get(thread, (0.0, 0.0))
            running.append(max(0.0, ran_in_all - ran_before))
            ready.append(running[-1] + max(0.0, waited_in_all - waited_before))
        unseen = max(0.0, ran - sum(running))
        cores = self._times.cores
        return min(longest_together(running, cores, unseen), longest_together(ready, cores + 1, unseen))


def longest_together(seconds: Iterable[float], count: int, unseen: float = 0.0) -> float:
    """Return the longest time in which `count` threads can have been busy at once, given each thread's busy seconds.

    `unseen`: busy seconds of any number of further threads together. No thread is busy twice at once, so the other
    threads must fill what the busiest few leave (McNaughton's wrap-around rule).
    """
    least_first = sorted(seconds)
    return min(
        (sum(least_first[: max(0, len(least_first) - busiest)]) + unseen) / (count - busiest)
        for busiest in range(count)
    )
