"""The cases of one submission, shared by two of its processes: each takes another when it is free.

Where JAX compiles for each shape, a process prefers the shapes that it has already compiled for. It takes a case of a
shape that only the other process has compiled for if the rest would keep the other one busy for longer than compiling.
"""

import random
import threading
from collections.abc import Callable, Sequence
from enum import IntEnum
from statistics import fmean

from app.catalog.manifest import Manifest
from app.catalog.parameter import FRAMEWORKS_OF
from app.engine.prepare import PreparedCase
from app.engine.shapes import shapes_of
from sandbox.interface import CaseInput, CaseQueue

# The cost of a case whose shape is compiled, relative to one that compiles, until it is known.
COST_OF_A_CASE = 0.25
# How often the first process goes on with the shape of the drawn case where it may also begin another.
SHARE_OF_DRAWN_SHAPE = 0.7

_CHANCE = random.SystemRandom()


class Process(IntEnum):
    """The first process begins with the first case, the second one with the second run of the drawn case."""

    FIRST = 0
    SECOND = 1


class SharedCases:
    """`drawn`: the case of the second run, if there is one. The first process runs it in its turn, like any other.

    `is_over`: whether no process gets another case.
    """

    def __init__(
        self,
        cases: Sequence[PreparedCase],
        manifest: Manifest,
        drawn: PreparedCase | None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._left, self._first, self._drawn, self._is_over = list(cases), cases[0], drawn, is_over
        self._shapes, self._compiled = dict[str, int](), (set[int](), set[int]())
        if not set(FRAMEWORKS_OF["jax"]).isdisjoint(manifest.frameworks):
            for number, shape in enumerate(shapes_of(cases, manifest.case_inputs)):
                self._shapes |= {case.name: number for case in shape.cases}
            if drawn is not None:
                self._compiled[Process.SECOND].add(self._shapes[drawn.name])
        self._compiling: set[str] = set()
        self._seconds: dict[bool, list[float]] = {True: [], False: []}
        self._changing = threading.Lock()

    def queue(self, process: Process) -> CaseQueue:
        """Return the queue of this process. The second one's begins with the drawn case."""
        return _Share(self, process, self._drawn if process is Process.SECOND else None)

    def note(self, name: str, wall_seconds: float) -> None:
        """Note how long a case took. It must have been taken from here."""
        with self._changing:
            self._seconds[name in self._compiling].append(wall_seconds)

    def left(self) -> list[PreparedCase]:
        """Return the cases that no process has taken."""
        with self._changing:
            return list(self._left)

    def count(self, process: Process) -> int:
        with self._changing:
            return len(self._open_to(process))

    def take(self, process: Process) -> PreparedCase | None:
        """Return None if nothing is left for this process, or the other one is quicker with what is left."""
        with self._changing:
            case = None if self._is_over() else self._choose(process)
            if case is None:
                return None
            self._left.remove(case)
            if self._shapes and self._shapes[case.name] not in self._compiled[process]:
                self._compiling.add(case.name)
                self._compiled[process].add(self._shapes[case.name])
            return case

    def _open_to(self, process: Process) -> list[PreparedCase]:
        """Return what this process may take. The second one has met the drawn case already."""
        if process is Process.FIRST:
            return self._left
        return [case for case in self._left if case is not self._first and case is not self._drawn]

    def _choose(self, process: Process) -> PreparedCase | None:
        cases, own = self._open_to(process), self._compiled[process]
        if not cases or not self._shapes or cases[0] is self._first:
            return next(iter(cases), None)
        new = [case for case in cases if self._shapes[case.name] not in own]
        fresh = [case for case in new if self._shapes[case.name] not in self._compiled[1 - process]]
        if process is Process.FIRST and self._drawn in new and (not fresh or _CHANCE.random() < SHARE_OF_DRAWN_SHAPE):
            # This process has to compile for that shape, and the second one need not compile for it again.
            return next(case for case in new if self._shapes[case.name] == self._shapes[self._drawn.name])
        if fresh:
            return fresh[0]
        compiled = [case for case in cases if case not in new]
        if compiled:
            only_here = [case for case in compiled if self._shapes[case.name] not in self._compiled[1 - process]]
            return next(iter(only_here), compiled[0])
        return new[0] if self._is_worth_compiling(len(new)) else None

    def _is_worth_compiling(self, number: int) -> bool:
        """Whether compiling takes less time than this many cases take in the process that has compiled for them."""
        compiling, others = self._seconds[True], self._seconds[False]
        cost = fmean(others) / fmean(compiling) if compiling and others else COST_OF_A_CASE
        return number * cost > 1


class _Share(CaseQueue):
    def __init__(self, shared: SharedCases, process: Process, first: PreparedCase | None) -> None:
        super().__init__([_input_of(first)] if first is not None else [])
        self._shared, self._process, self._has_ended = shared, process, False

    def __len__(self) -> int:
        return super().__len__() + (0 if self._has_ended else self._shared.count(self._process))

    def take(self) -> CaseInput | None:
        if (first := super().take()) is not None:
            return first
        case = None if self._has_ended else self._shared.take(self._process)
        self._has_ended = case is None
        return None if case is None else _input_of(case)


def _input_of(case: PreparedCase) -> CaseInput:
    return CaseInput(name=case.name, inputs=case.inputs)
