"""A pool of warm boxes. Callers lease one box at a time; the pool replaces boxes that are spent.

A box is spent when a run left something in it, when it was lost, or when it reached its number of runs. At capacity the
least recently used idle box makes room. Replacements start in the background, so students do not wait for imports. Nor
do they wait until their process has ended: a box that comes back is idle when it is empty.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sandbox.interface import (
    Aborted,
    Box,
    BoxLost,
    BoxSpec,
    CaseOutcome,
    Launcher,
    Request,
    RunOutcome,
    SandboxUnavailable,
    Setup,
)

LISTEN_SECONDS = 0.2
# A box is usually empty long before another one could start.
QUICK_SECONDS = 0.5


@dataclass(slots=True)
class _Place:
    """A started box, and how much it has been used."""

    spec: BoxSpec
    box: Box
    runs: int = 0
    is_spoilt: bool = False
    used_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """`ready`: idle, or being emptied after a run. `busy`: leased. `starting`: starting in the background."""

    ready: int
    busy: int
    starting: int


class Pool:
    def __init__(self, launcher: Launcher, *, capacity: int, max_runs: int) -> None:
        self.capacity = capacity
        self._launcher, self._max_runs = launcher, max_runs
        self._changed = threading.Condition()
        self._idle: list[_Place] = []
        self._starting: list[BoxSpec] = []
        self._emptying: list[_Place] = []
        self._lent = 0
        self._is_closed = False

    @contextmanager
    def lease(self, spec: BoxSpec, abort: threading.Event, problem: str = "") -> Iterator[Box]:
        """Lease a box of this kind, preferably one with a spare for the problem. A spent box is exchanged for a fresh
        one.

        Raises SandboxUnavailable or Aborted.
        """
        leased = _Leased(self, self.take(spec, abort, problem), abort)
        try:
            yield leased
        finally:
            leased.close()

    def warm(self, spec: BoxSpec) -> None:
        """Start a box in the background, unless one is idle or starting, or the pool is full."""
        with self._changed:
            known = spec in self._starting or self._count_idle(spec) > 0
            if known or self._is_closed or self._count() >= self.capacity:
                return
            self._starting.append(spec)
        try:
            threading.Thread(target=self._start_idle, args=(spec,), name="box-start", daemon=True).start()
        except RuntimeError:  # the host has no thread left: the next lease launches a box itself
            with self._changed:
                self._starting.remove(spec)
                self._changed.notify_all()

    def make_spare(self, spec: BoxSpec, setup: Setup, abort: threading.Event) -> bool:
        """Make a spare in an idle or a new box. Return False if there was no room.

        A spare of the same problem with another setup is replaced. At capacity the least recently used idle box is
        closed. Raises SandboxError, as a run does.
        """
        evicted: _Place | None = None
        with self._changed:
            self._changed.wait_for(lambda: not self._is_emptying(spec), QUICK_SECONDS)
            others = [place for place in self._idle if place.box.spare != setup]
            usable = (place for place in others if place.spec == spec)
            place = next((place for place in usable if _is_spare(place, setup.problem) or not place.box.spare), None)
            if place is None and self._count() >= self.capacity:
                evicted = min(others, key=lambda place: place.used_at, default=None)
            if self._is_closed or (place is evicted is None and self._count() >= self.capacity):
                return False
            for taken in (place, evicted):
                if taken is not None:
                    self._idle.remove(taken)
            self._lent += 1
        if evicted is not None:
            evicted.box.close()
        if place is not None and not place.box.is_usable():
            place.box.close()
            place = None
        place = place or self._start_lent(spec)
        place.is_spoilt = True  # until the box has proven to be usable
        try:
            place.box.prepare(setup, abort)
            place.is_spoilt = False
        finally:
            self.give_back(place)
        return True

    def count_spares(self, setup: Setup) -> int:
        """Count the idle boxes whose spare has exactly this setup."""
        with self._changed:
            return sum(place.box.spare == setup for place in [*self._idle, *self._emptying])

    def count_idle(self, spec: BoxSpec) -> int:
        """Count the boxes of this kind that are idle, or will be once they are empty."""
        with self._changed:
            return self._count_idle(spec)

    def close(self) -> None:
        """Close the idle boxes and those that are not empty yet. Leased boxes are closed when they come back."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            emptying = list(self._emptying)
        for place in emptying:
            place.box.close()
        with self._changed:
            self._changed.wait_for(lambda: not self._emptying)
            idle, self._idle = self._idle, []
        for place in idle:
            place.box.close()

    def is_spent(self, place: "_Place") -> bool:
        return place.is_spoilt or place.runs >= self._max_runs

    def give_back(self, place: _Place, *, is_replaced: bool = False) -> None:
        """Returns at once. The box is idle when it is empty. `is_replaced`: start another in place of a spent box."""
        with self._changed:
            is_spent = self._is_closed or self.is_spent(place)
            if not is_spent:
                self._lent -= 1
                self._emptying.append(place)
        if is_spent:
            self._forget(place)
            if is_replaced:
                self.warm(place.spec)
            return
        arguments = (place, is_replaced)
        try:
            threading.Thread(target=self._make_idle, args=arguments, name="box-emptying", daemon=True).start()
        except RuntimeError:  # the host has no thread left
            self._make_idle(*arguments)

    def _make_idle(self, place: _Place, is_replaced: bool) -> None:
        is_usable = False
        try:
            is_usable = place.box.is_usable()
        finally:
            if not is_usable:
                place.box.close()
            with self._changed:
                self._emptying.remove(place)
                if is_usable:
                    place.used_at = time.monotonic()
                    self._idle.append(place)
                elif is_replaced:
                    self.warm(place.spec)
                self._changed.notify_all()

    def count(self) -> Counts:
        with self._changed:
            ready = len(self._idle) + len(self._emptying)
            return Counts(ready=ready, busy=self._lent, starting=len(self._starting))

    def _count_idle(self, spec: BoxSpec) -> int:
        return sum(place.spec == spec for place in [*self._idle, *self._emptying])

    def _is_emptying(self, spec: BoxSpec) -> bool:
        return any(place.spec == spec for place in self._emptying)

    def _count(self) -> int:
        return len(self._idle) + len(self._starting) + len(self._emptying) + self._lent

    def take(self, spec: BoxSpec, abort: threading.Event, problem: str = "") -> _Place:
        while True:
            place, has_room = self._find(spec, abort, problem)
            if place is not None and place.box.is_usable():
                return place
            if place is not None:
                self._forget(place)
            elif has_room:
                return self._start_lent(spec)

    def _find(self, spec: BoxSpec, abort: threading.Event, problem: str) -> tuple[_Place | None, bool]:
        """Wait for an idle box of this kind or for room to start one. Room for a new box counts as leased."""
        evicted: _Place | None = None
        patience = time.monotonic() + QUICK_SECONDS
        with self._changed:
            while True:
                if abort.is_set() or self._is_closed:
                    raise Aborted
                place = self._choose(spec, problem)
                is_nearly_idle = self._is_emptying(spec) and time.monotonic() < patience
                may_start = place is None and spec not in self._starting and not is_nearly_idle
                if may_start and self._count() >= self.capacity and self._idle:
                    evicted = min(self._idle, key=lambda place: place.used_at)
                    self._idle.remove(evicted)
                if place is not None:
                    self._idle.remove(place)
                if place is not None or (may_start and self._count() < self.capacity):
                    self._lent += 1
                    break
                self._changed.wait(LISTEN_SECONDS)
        if evicted is not None:
            evicted.box.close()
        return place, place is None

    def _choose(self, spec: BoxSpec, problem: str) -> _Place | None:
        """Prefer a spare of the problem, then a box without a spare, then a box with another problem's spare."""
        idle = [place for place in self._idle if place.spec == spec]
        return min(idle, key=lambda place: (not _is_spare(place, problem), place.box.spare is not None), default=None)

    def _forget(self, place: _Place) -> None:
        place.box.close()
        with self._changed:
            self._lent -= 1
            self._changed.notify_all()

    def _start_lent(self, spec: BoxSpec) -> _Place:
        try:
            return _Place(spec, self._launcher.launch(spec))
        except BaseException:
            with self._changed:
                self._lent -= 1
                self._changed.notify_all()
            raise

    def _start_idle(self, spec: BoxSpec) -> None:
        """Errors are dropped here: the next lease launches a box itself and raises."""
        place: _Place | None = None
        try:
            with suppress(SandboxUnavailable):
                place = _Place(spec, self._launcher.launch(spec), used_at=time.monotonic())
        finally:
            with self._changed:
                self._starting.remove(spec)
                if place is not None and not self._is_closed:
                    self._idle.append(place)
                    place = None
                self._changed.notify_all()
        if place is not None:
            place.box.close()


def _is_spare(place: _Place, problem: str) -> bool:
    return place.box.spare is not None and place.box.spare.problem == problem


class _Leased(Box):
    """The box that a lease hands out."""

    def __init__(self, pool: Pool, place: _Place, abort: threading.Event) -> None:
        self._pool, self._abort, self.ready = pool, abort, place.box.ready
        self._place: _Place | None = place

    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        place = self._fresh()
        place.runs += 1
        place.is_spoilt = True  # until the run has ended
        outcome = place.box.run(request, on_case, abort)
        place.is_spoilt = False
        return outcome

    def prepare(self, setup: Setup, abort: threading.Event) -> None:
        self._fresh().box.prepare(setup, abort)

    def is_usable(self) -> bool:
        return self._place is not None and self._place.box.is_usable()

    def close(self) -> None:
        place, self._place = self._place, None
        if place is not None:
            self._pool.give_back(place, is_replaced=not self._abort.is_set())

    def _fresh(self) -> _Place:
        place = self._place
        if place is None:
            raise BoxLost("the lease has ended")
        if not self._pool.is_spent(place) and place.box.is_usable():
            return place
        self.close()  # first: the new box may need its room
        self._place = self._pool.take(place.spec, self._abort)
        return self._place
