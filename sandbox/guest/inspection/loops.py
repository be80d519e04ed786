"""Find the loops of a program, and how many steps each of them has.

JAX turns scan, fori_loop and while_loop into one operation, `while`. The steps can be counted if a counter starts at a
constant, grows by a constant and is compared with a constant. Every scan is such a loop.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sandbox.guest.inspection.graph import Constant, Graph, Operation, Region

MAX_HOPS = 64
_RANGES = {f"{sign}i{bits}": (-(2 ** (bits - 1)) * (not sign), 2 ** (bits - (not sign)) - 1)
           for sign in ("", "u") for bits in (8, 16, 32, 64)}  # fmt: skip
_MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "NE": "NE"}


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """A loop's counter. `position`: its index among the carried values. `bound_operand`: its bound in `compared`.

    `others`: further counters of the loop, each with position, start and step.
    """

    position: int
    start: int
    step: int
    bound: int
    compared: Operation
    bound_operand: int
    length: int
    others: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ControlFlow:
    """A `while`, `case` or `if`. `around`: the loops that contain it, outermost first."""

    operation: Operation
    around: tuple["ControlFlow", ...]
    counter: Counter | None

    @property
    def length(self) -> int | None:
        return self.counter.length if self.counter else None

    @property
    def steps(self) -> int | None:
        steps = 1
        for loop in (*self.around, self):
            if loop.length is None:
                return None
            steps *= loop.length
        return steps


def find_loops(graph: Graph) -> list[ControlFlow]:
    return [found for found in _find(graph, graph.body, ()) if found.operation.name == "while"]


def find_branches(graph: Graph) -> list[ControlFlow]:
    return [found for found in _find(graph, graph.body, ()) if found.operation.name in ("case", "if")]


def _find(graph: Graph, region: Region, around: tuple[ControlFlow, ...]) -> Iterator[ControlFlow]:
    """Yield each loop or branch before those inside it."""
    for operation in region.operations:
        inside = around
        if operation.name == "while":
            found = ControlFlow(operation, around, _Counting(graph, around).of(operation))
            inside = (*around, found)
            yield found
        elif operation.name in ("case", "if"):
            yield ControlFlow(operation, around, None)
        for inner in operation.regions:
            yield from _find(graph, inner, inside)


class _Counting:
    def __init__(self, graph: Graph, around: tuple[ControlFlow, ...]) -> None:
        self._graph = graph
        self._around = [loop.operation for loop in around]

    def of(self, loop: Operation) -> Counter | None:
        condition = loop.regions[0]
        compared = self._graph.definitions.get(condition.results[0])
        if compared is None or compared.name != "compare":
            return None
        for at in (0, 1):
            counter = self._counter(loop, compared, at)
            if counter is not None:
                return counter
        return None

    def _counter(self, loop: Operation, compared: Operation, at: int) -> Counter | None:
        condition, body = loop.regions
        counted = compared.operands[at]
        if counted not in condition.arguments:
            return None
        position = condition.arguments.index(counted)
        bound = self._integer(compared.operands[1 - at], loop)
        start = self._integer(loop.operands[position], loop)
        step = self._step(loop, body, position)
        limits = _RANGES.get(self._graph.types[counted].dtype)
        if bound is None or start is None or not step or limits is None:
            return None
        direction = compared.direction if at == 0 else _MIRRORED.get(compared.direction, "")
        length = _length(direction, (start, step, bound), limits)
        if length is None:
            return None
        return Counter(position, start, step, bound, compared, 1 - at, length, self._others(loop, position))

    def _others(self, loop: Operation, position: int) -> tuple[tuple[int, int, int], ...]:
        """A fori_loop keeps an index beside the counter of the scan that it is made of."""
        found = []
        for place, operand in enumerate(loop.operands):
            start, step = self._integer(operand, loop), self._step(loop, loop.regions[1], place)
            if place != position and start is not None and step:
                found.append((place, start, step))
        return tuple(found)

    def _step(self, loop: Operation, body: Region, position: int) -> int | None:
        grown = self._graph.definitions.get(body.results[position])
        if grown is None or grown.name not in ("add", "subtract"):
            return None
        argument = body.arguments[position]
        if grown.operands[0] == argument:
            step = self._integer(grown.operands[1], loop)
            return -step if step is not None and grown.name == "subtract" else step
        if grown.operands[1] == argument and grown.name == "add":
            return self._integer(grown.operands[0], loop)
        return None

    def _integer(self, value: int, loop: Operation) -> int | None:
        """Return the value's constant integer, if it has one. Loops may carry it along unchanged."""
        passed: list[str] = []
        for _ in range(MAX_HOPS):
            passed.append(self._graph.types[value].dtype)
            definition = self._graph.definitions.get(value)
            if definition is None:
                before = self._before(value, loop)
                if before is None:
                    return None
                value = before
            elif definition.name == "constant":
                return _fitting(definition.constant, passed)
            elif definition.name in ("convert", "reshape"):
                value = definition.operands[0]
            else:
                return None
        return None

    def _before(self, value: int, loop: Operation) -> int | None:
        """Return the initial value of a carried value that the loop does not change."""
        for candidate in (*self._around, loop):
            for region in candidate.regions:
                if value in region.arguments:
                    position = region.arguments.index(value)
                    body = candidate.regions[1]
                    unchanged = body.results[position] == body.arguments[position]
                    return candidate.operands[position] if unchanged else None
        return None


def _fitting(constant: Constant | None, dtypes: list[str]) -> int | None:
    """Return None if a conversion on the way would have changed the number."""
    if not isinstance(constant, int) or isinstance(constant, bool):
        return None
    ranges = [_RANGES.get(dtype, (1, 0)) for dtype in dtypes]
    return constant if all(least <= constant <= most for least, most in ranges) else None


def _length(direction: str, counting: tuple[int, int, int], limits: tuple[int, int]) -> int | None:
    """Return None if the loop may not end: a counter that leaves its range wraps around."""
    start, step, bound = counting
    if direction == "NE":
        distance = bound - start
        return distance // step if distance % step == 0 and distance // step >= 0 else None
    if direction in ("GT", "GE"):
        start, step, bound, limits = -start, -step, -bound, (-limits[1], -limits[0])
    elif direction not in ("LT", "LE"):
        return None
    if direction in ("LE", "GE"):
        bound += 1
    if start >= bound:
        return 0
    length = -(-(bound - start) // step) if step > 0 else None
    return length if length is not None and start + length * step <= limits[1] else None
