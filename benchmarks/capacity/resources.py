"""What the simulation waits for: stations, cores that runs share, and the boxes of a worker."""

import heapq

import simpy

from benchmarks.capacity.workload import Problem


class Station:
    """Servers that take work in order of arrival. `take` returns how long this piece waits before its turn."""

    def __init__(self, environment: simpy.Environment, servers: float) -> None:
        self._environment, self._servers = environment, servers
        self._backlog, self._at = 0.0, 0.0

    def take(self, seconds: float) -> float:
        now = self._environment.now
        self._backlog = max(0.0, self._backlog - (now - self._at) * self._servers)
        self._at = now
        wait = self._backlog / self._servers
        self._backlog += seconds
        return wait


class Cores:
    """Cores that all runs share equally: while runs want more cores than there are, each runs that much slower."""

    def __init__(self, environment: simpy.Environment, count: float) -> None:
        self._environment, self._count = environment, count
        self._wanted = 0.0
        self._progress, self._at = 0.0, 0.0
        self._runs: list[tuple[float, int, float, simpy.Event]] = []
        self._number = 0
        self._plan = 0

    @property
    def _speed(self) -> float:
        return min(1.0, self._count / self._wanted) if self._wanted else 1.0

    def run(self, seconds: float, cores: float = 1.0) -> simpy.Event:
        """Return the event at which a run has ended that takes so long on an idle machine."""
        self._advance()
        ended = self._environment.event()
        self._number += 1
        heapq.heappush(self._runs, (self._progress + seconds, self._number, cores, ended))
        self._wanted += cores
        self._schedule()
        return ended

    def _advance(self) -> None:
        now = self._environment.now
        self._progress += (now - self._at) * self._speed
        self._at = now

    def _schedule(self) -> None:
        self._plan += 1
        if not self._runs:
            self._wanted = 0.0  # no rounding errors pile up
            return
        left = max(0.0, self._runs[0][0] - self._progress) / self._speed
        self._environment.timeout(left, self._plan).callbacks.append(self._end)

    def _end(self, event: simpy.Event) -> None:
        if event.value != self._plan:
            return  # another run has begun or ended since
        self._advance()
        _, _, cores, ended = heapq.heappop(self._runs)
        self._wanted -= cores
        ended.succeed()
        self._schedule()


class Boxes:
    """The boxes of one worker, as in `sandbox.pool`. Each stands for the two that one submission takes.

    A box is its kind, and the problem of its spare.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._idle: list[tuple[str, str | None]] = []  # the least recently used first
        self._lent = 0

    def warm(self, kind: str) -> None:
        if len(self._idle) < self._capacity:
            self._idle.append((kind, None))

    def take(self, problem: Problem) -> str:
        """Return `spare`, `warm box` or `cold box`."""
        self._lent += 1
        choices: tuple[tuple[str, str | None], ...] = ((problem.box, problem.slug), (problem.box, None))
        found = next((each for each in choices if each in self._idle), None)
        found = found or next((each for each in self._idle if each[0] == problem.box), None)
        if found is not None:
            self._idle.remove(found)
            return "spare" if found[1] == problem.slug else "warm box"
        if len(self._idle) + self._lent > self._capacity and self._idle:
            self._idle.pop(0)
        return "cold box"

    def give_back(self, problem: Problem) -> None:
        self._lent -= 1
        self._idle.append((problem.box, None))

    def has_spare(self, problem: Problem) -> bool:
        return (problem.box, problem.slug) in self._idle

    def add_spare(self, problem: Problem) -> bool:
        """Put a spare into an idle box of its kind, or a new one. Return False if there is no room."""
        plain = (problem.box, None)
        if plain in self._idle:
            self._idle.remove(plain)
        elif len(self._idle) + self._lent >= self._capacity:
            if not self._idle:
                return False
            self._idle.pop(0)
        self._idle.append((problem.box, problem.slug))
        return True
