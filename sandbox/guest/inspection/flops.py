"""Count the arithmetic that a program does for its answer.

Only operations that the results depend on count. An elementwise operation costs one per element, and each product that
is added up costs two. A region counts once per element that it is applied to, a loop's body once per step, and a choice
as its most expensive branch. A loop of unknown length counts as one step and is reported as unbounded. Integers and
booleans that depend on no argument are indices and counters, and cost nothing. XLA's own figure counts a loop's body
once, whatever its length.
"""

import math
from collections import defaultdict
from collections.abc import Iterable

from sandbox.guest.inspection.dataflow import Flow, moved_from
from sandbox.guest.inspection.graph import Graph, Operation, Refused, Region, operations_in
from sandbox.guest.inspection.loops import ControlFlow

# More than a processor does in a day: such a loop is meant to inflate the count, not to run.
MAX_FLOPS = 1e15
_FREE = frozenset(["constant", "iota", "partition_id", "select"])
_STRUCTURES = frozenset(["while", "case", "if"])
_BY_OPERANDS = frozenset(["reduce", "select_and_scatter", "sort"])
_OF_MATRICES = frozenset(["custom_call", "cholesky", "triangular_solve"])


class Work:
    """The constructor raises Refused. `unbounded`: the number of loops of unknown length that do arithmetic.

    `by_axis`: for each axis size, the arithmetic on arrays that have an axis of that size.
    """

    def __init__(self, graph: Graph, loops: list[ControlFlow]) -> None:
        self._graph = graph
        self._lengths = {found.operation: found.length for found in loops}
        self._live = _Liveness(graph).values
        self._varying = _depending(graph)
        self._cost: dict[Operation, float] = {}
        self.by_axis: defaultdict[int, float] = defaultdict(float)
        self.flops = self._region(graph.body, 1.0)
        if self.flops > MAX_FLOPS:
            raise Refused(f"the program does more arithmetic than {MAX_FLOPS:.0e} operations")
        self.unbounded = sum(self._is_unbounded(found.operation) for found in loops)

    def outside(self, loops: Iterable[ControlFlow]) -> float:
        """Return the arithmetic done in none of these loops. Infinite where it has no known bound."""
        return self._outside(self._graph.body, frozenset(found.operation for found in loops))

    def share(self, found: ControlFlow) -> float:
        """Return the loop's share of all arithmetic, over all steps of the loops around it."""
        times = 1.0
        for around in found.around:
            times *= 1 if around.length is None else around.length
        return min(1.0, times * self._cost.get(found.operation, 0.0) / self.flops) if self.flops else 0.0

    def is_live(self, operation: Operation) -> bool:
        return any(result in self._live for result in operation.results)

    def arithmetic(self) -> list[Operation]:
        """Return all live arithmetic operations, each once, including those in a reduction's region."""
        return [one for one in operations_in(self._graph.body) if self.is_live(one) and is_arithmetic(one)]

    def _region(self, region: Region, times: float) -> float:
        return sum(self._operation(one, times) for one in region.operations if self.is_live(one))

    def _operation(self, operation: Operation, times: float) -> float:
        """`times`: how often the operation runs, for the count by axis."""
        if operation.name == "while":
            length = self._lengths[operation]
            steps = 1 if length is None else length
            cost = sum(self._region(region, times * steps) for region in operation.regions) * steps
        elif operation.name in _STRUCTURES:
            cost = max((self._region(region, times) for region in operation.regions), default=0.0)
        else:
            cost = float(self._own(operation)) if is_arithmetic(operation) else 0.0
            values = (*operation.operands, *operation.results)
            for size in {size for value in values for size in self._graph.types[value].shape}:
                self.by_axis[size] += cost * times
        self._cost[operation] = cost
        return cost

    def _outside(self, region: Region, loops: frozenset[Operation]) -> float:
        return sum(self._rest(one, loops) for one in region.operations if one in self._cost)

    def _rest(self, operation: Operation, loops: frozenset[Operation]) -> float:
        if operation in loops:
            return 0.0
        if operation.name == "while":
            rest = sum(self._outside(region, loops) for region in operation.regions)
            length = self._lengths[operation]
            return rest * length if length is not None else math.inf if rest else 0.0
        if operation.name in _STRUCTURES:
            return max((self._outside(region, loops) for region in operation.regions), default=0.0)
        return self._cost[operation]

    def _is_unbounded(self, operation: Operation) -> bool:
        return self._lengths[operation] is None and self._cost.get(operation, 0.0) > 0

    def _own(self, operation: Operation) -> float:
        if self._is_index(operation):
            return 0
        each = max(1.0, sum(self._in_region(region) for region in operation.regions))
        made = max(self._graph.types[result].size for result in operation.results)
        sizes = [self._graph.types[operand].size for operand in operation.operands]
        taken = max(sizes, default=0)
        if operation.name in ("dot_general", "convolution"):
            return 2 * made * operation.contracted
        if operation.name in _OF_MATRICES:  # the order of a matrix times its elements
            shape = self._graph.types[operation.operands[0]].shape
            return taken * min(shape[-2:], default=1)
        if operation.name == "reduce_window":
            return max(taken, made * operation.contracted) * each
        if operation.name == "scatter":
            return sizes[-1] * each
        return (taken if operation.name in _BY_OPERANDS else made) * each

    def _in_region(self, region: Region) -> float:
        """Return the cost per element, even for work that could be done once."""
        inner = [one for one in operations_in(region) if is_arithmetic(one)]
        return sum(float(self._own(one)) for one in inner)

    def _is_index(self, operation: Operation) -> bool:
        values = (*operation.operands, *operation.results)
        whole = all(self._graph.types[value].is_whole for value in operation.results)
        return whole and self._varying.isdisjoint(values)


def is_arithmetic(operation: Operation) -> bool:
    return operation.name not in _FREE and operation.name not in _STRUCTURES and not moved_from(operation)


def _depending(graph: Graph) -> set[int]:
    """Return the values that depend on the program's arguments."""
    flow = Flow(graph)
    flow.region(graph.body, [1] * len(graph.body.arguments))
    return {value for value, sources in flow.sources.items() if sources}


class _Liveness:
    """The values that the results depend on, found backwards from the end."""

    def __init__(self, graph: Graph) -> None:
        self.values: set[int] = set(graph.body.results)
        self._region(graph.body)

    def _region(self, region: Region) -> None:
        for operation in reversed(region.operations):
            if any(result in self.values for result in operation.results):
                self._operation(operation)

    def _operation(self, operation: Operation) -> None:
        if operation.name == "while":
            return self._loop(operation)
        self.values.update(operation.operands)
        for region in operation.regions:
            wanted = zip(operation.results, region.results, strict=False)
            is_choice = operation.name in ("case", "if")
            self.values.update(inner for outer, inner in wanted if not is_choice or outer in self.values)
            if not is_choice:
                self.values.update(region.results)
            self._region(region)
        return None

    def _loop(self, loop: Operation) -> None:
        condition, body = loop.regions
        self.values.update(condition.results)
        while True:
            before = len(self.values)
            for place, result in enumerate(loop.results):
                if not self.values.isdisjoint((result, condition.arguments[place], body.arguments[place])):
                    self.values.update((body.results[place], loop.operands[place]))
            self._region(condition)
            self._region(body)
            if len(self.values) == before:
                return
