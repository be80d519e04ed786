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
    FrameworkMissing,
    Launcher,
    Request,
    RunOutcome,
    SandboxUnavailable,
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
    def lease(self, spec: BoxSpec, abort: threading.Event) -> Iterator[Box]:
        """Lease a box of this kind. A spent box is exchanged for a fresh one. Raises as `launch` does, or Aborted."""
        leased = _Leased(self, self.take(spec, abort), abort)
        try:
            yield leased
        finally:
            leased.close()

    def warm(self, spec: BoxSpec, number: int = 1) -> None:
        """Start boxes in the background until this number is idle or starting, or the pool is full."""
        with self._changed:
            missing = number - self._starting.count(spec) - self._count_idle(spec)
            starts = 0 if self._is_closed else max(0, min(missing, self.capacity - self._count()))
            self._starting += [spec] * starts
        for _ in range(starts):
            try:
                threading.Thread(target=self._start_idle, args=(spec,), name="box-start", daemon=True).start()
            except RuntimeError:  # the host has no thread left: the next lease launches a box itself
                with self._changed:
                    self._starting.remove(spec)
                    self._changed.notify_all()

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

    def take(self, spec: BoxSpec, abort: threading.Event) -> _Place:
        while True:
            place, has_room = self._find(spec, abort)
            if place is not None and place.box.is_usable():
                return place
            if place is not None:
                self._forget(place)
            elif has_room:
                return self._start_lent(spec)

    def _find(self, spec: BoxSpec, abort: threading.Event) -> tuple[_Place | None, bool]:
        """Wait for an idle box of this kind or for room to start one. Room for a new box counts as leased."""
        evicted: _Place | None = None
        patience = time.monotonic() + QUICK_SECONDS
        with self._changed:
            while True:
                if abort.is_set() or self._is_closed:
                    raise Aborted
                place = next((place for place in self._idle if place.spec == spec), None)
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
            with suppress(SandboxUnavailable, FrameworkMissing):
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
