"""The time that a question is charged with: wall time less the time in which other processes had the program's cores.

A program can't tell its threads where to run or which goes first, so one of them waits while a core is free for it only
for a moment. It waits for one of two reasons: the program's own threads hold all of its cores, or other processes do.

The kernel counts for each thread how long it ran and how long it waited (`schedstat`), a wait when it has ended. A look
every 50 ms places what a thread has waited since the last one: into the time since then in which it did not run, and
what has no room there into the looks before, one after the other. Between two looks the thread that waited longest
counts. From the sum the time is taken off in which the program's own threads may have held all of its cores while
another waited. Whatever is left, others took.

A program is charged with at least its processor time divided by its cores, and may take ten times its limit in all.
A wait is known when it has ended, and of threads that live for less than a look nothing is: both are charged.
"""

import os
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

LOOK_SECONDS = 0.05
# A wait that is longer is counted for its last looks only.
MOST_LOOKS = 200
# With those that have ended.
MOST_THREADS = 1000
# On a busy machine a question may take this many times its limit.
MAX_STRETCH = 10

Times = tuple[float, float]


class ThreadTimes:
    """Seconds that each thread of a process ran and waited for a core; of none where the kernel does not count."""

    def __init__(self, pid: int, cores: int) -> None:
        self.cores = cores
        self._folder = f"/proc/{pid}/task"
        self._processor_clock = ~pid << 3 | 2  # of all its threads, the ended ones too: clock_getcpuclockid(3)

    def read(self) -> dict[str, Times]:
        found = {}
        with suppress(OSError):
            for thread in os.scandir(self._folder):
                with suppress(OSError, ValueError):  # it has ended, or its kernel does not count
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
    """A thread between two looks: the seconds of its waiting that are known, and those in which it may have waited."""

    look: int
    free: float
    waited: float = 0.0


class ChargedTime:
    """Seconds since it was made that are charged, of `limit` seconds. Never goes back."""

    def __init__(self, times: ThreadTimes, limit: float) -> None:
        self._times, self._limit = times, limit
        self._started = self._looked_at = time.monotonic()
        self._ran_before = times.read_processor_seconds()
        self._at_first = times.read()
        self._last = dict(self._at_first)
        self._idle: dict[str, deque[_Idle]] = {}
        # Between a look and the one before: how long the thread waited that waited longest.
        self._waits: list[float] = []
        self._charged = 0.0

    def look(self) -> None:
        """Is to be called often."""
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._look()

    def read(self) -> float:
        self._look()
        return self._charge()

    def is_over(self) -> bool:
        return self._looked_at - self._started > self._limit and self._charge() > self._limit

    @property
    def left_out(self) -> float:
        """Seconds that other processes took and that were not charged at the last reading."""
        return self._looked_at - self._started - self._charged

    def _look(self) -> None:
        found = self._times.read()
        now = time.monotonic()
        elapsed, self._looked_at = now - self._looked_at, now
        self._waits.append(0.0)
        for thread, (ran, waited) in found.items():
            ran_before, waited_before = self._last.get(thread, (0.0, 0.0))
            if ran < ran_before or waited < waited_before:  # another thread has the number of one that ended
                self._forget(thread)
                ran_before = waited_before = 0.0
            idle = self._idle.setdefault(thread, deque(maxlen=MOST_LOOKS))
            self._place(idle, elapsed, ran - ran_before, waited - waited_before)
        self._idle = {thread: self._idle[thread] for thread in found}
        # What forgotten ones ran is known from the processor time of all.
        self._last = found if len(self._last) > MOST_THREADS else self._last | found

    def _forget(self, thread: str) -> None:
        """Drop a thread that has ended. Its running stays in the process's total, and so counts as unseen."""
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
        """The time that others took."""
        ran = self._times.read_processor_seconds() - self._ran_before
        most = elapsed - ran / self._times.cores
        return max(0.0, min(sum(self._waits) - self._own_waiting(ran), most, (MAX_STRETCH - 1) * self._limit))

    def _own_waiting(self, ran: float) -> float:
        """The longest time in which its own threads can have held all cores while another of them waited."""
        running, ready = [], []
        for thread, (ran_in_all, waited_in_all) in self._last.items():
            ran_before, waited_before = self._at_first.get(thread, (0.0, 0.0))
            running.append(max(0.0, ran_in_all - ran_before))
            ready.append(running[-1] + max(0.0, waited_in_all - waited_before))
        unseen = max(0.0, ran - sum(running))
        cores = self._times.cores
        return min(longest_together(running, cores, unseen), longest_together(ready, cores + 1, unseen))


def longest_together(seconds: Iterable[float], count: int, unseen: float = 0.0) -> float:
    """The longest time in which `count` threads can have been busy at once, when each was for so many seconds.

    `unseen`: of any number of further threads together. No thread is busy twice at once, so besides the busiest few
    the others must have filled the rest (McNaughton's wrap-around rule).
    """
    least_first = sorted(seconds)
    return min(
        (sum(least_first[: max(0, len(least_first) - busiest)]) + unseen) / (count - busiest)
        for busiest in range(count)
    )
