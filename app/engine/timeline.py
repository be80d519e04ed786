"""The phases of a judging and their durations, measured by the worker and shown to the student."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from app.judging.phase import Phase, PhaseName
from app.judging.report import told_seconds
from app.judging.verdicts import Visibility

Tell = Callable[[Sequence[Phase]], None]

# A program could encode hidden inputs in the duration of these phases.
OF_THE_PROGRAM: frozenset[PhaseName] = frozenset({"running", "inspecting", "again", "timing", "checking"})


class Timeline:
    """One phase runs at a time. `tell` gets all phases so far whenever another begins.

    `visibility`: hidden if any case is; then times are coarse.
    """

    def __init__(self, tell: Tell = lambda _: None, visibility: Visibility = "hidden") -> None:
        self._tell, self._visibility = tell, visibility
        self._ended: dict[PhaseName, float] = {}
        self._aside: dict[PhaseName, float] = {}
        self._name: PhaseName | None = None
        self._since = 0.0

    @property
    def spent(self) -> dict[str, float]:
        """Exact seconds per phase, which students must not see."""
        return {str(name): seconds for name, seconds in (*self._ended.items(), *self._aside.items())}

    def begin(self, name: PhaseName) -> None:
        self._end()
        self._name, self._since = name, time.monotonic()
        self._tell([*self._phases(), Phase(name=name, seconds=None)])

    @contextmanager
    def aside(self, name: PhaseName) -> Iterator[None]:
        """Count time that interrupts the current phase repeatedly; it is reported at the end."""
        began = time.monotonic()
        try:
            yield
        finally:
            taken = time.monotonic() - began
            self._since += taken
            self._aside[name] = self._aside.get(name, 0.0) + taken

    def close(self) -> None:
        """End the phase, also after an error."""
        self._end()

    def end(self) -> tuple[Phase, ...]:
        self._end()
        return tuple(self._phases() + [self._phase(name, seconds) for name, seconds in self._aside.items()])

    def _end(self) -> None:
        if self._name is not None:
            self._ended[self._name] = self._ended.get(self._name, 0.0) + time.monotonic() - self._since
        self._name = None

    def _phases(self) -> list[Phase]:
        return [self._phase(name, seconds) for name, seconds in self._ended.items()]

    def _phase(self, name: PhaseName, seconds: float) -> Phase:
        shown = told_seconds(self._visibility, seconds) if name in OF_THE_PROGRAM else seconds
        return Phase(name=name, seconds=round(shown, 3))
