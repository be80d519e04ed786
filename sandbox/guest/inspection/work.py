"""How much arithmetic a program does for its answer.

Counted are the operations that the results depend on: one for each element that arithmetic makes, two for each product
that is added up, those of a loop for each of its steps (once, where the steps can't be counted), and of a choice those
of its dearest branch. Single integers and truths, which are indices and counters, cost nothing. XLA's own figure counts
the body of a loop once, whatever its length.
"""

from .flow import moved_from
from .graph import Graph, Operation, Region, operations_in
from .loops import Found

_FREE = frozenset(["constant", "iota", "partition_id", "select"])
_BY_OPERANDS = frozenset(["reduce", "reduce_window", "select_and_scatter", "scatter", "sort"])


class Work:
    def __init__(self, graph: Graph, loops: list[Found]) -> None:
        self._graph = graph
        self._lengths = {found.operation: found.length for found in loops}
        self._live = _Liveness(graph).values
        self._of_loop: dict[Operation, float] = {}
        self.flops = self._region(graph.body)

    def share(self, found: Found) -> float:
        """Of a loop, in all the steps of the loops around it."""
        times = 1.0
        for around in found.around:
            times *= 1 if around.length is None else around.length
        return min(1.0, times * self._of_loop.get(found.operation, 0.0) / self.flops) if self.flops else 0.0

    def is_live(self, operation: Operation) -> bool:
        return any(result in self._live for result in operation.results)

    def arithmetic(self) -> list[Operation]:
        """All that takes part, however often it is done; a reduction's own region is part of it."""
        return [one for one in operations_in(self._graph.body) if self.is_live(one) and is_arithmetic(one)]

    def _region(self, region: Region) -> float:
        return sum(self._operation(one) for one in region.operations if self.is_live(one))

    def _operation(self, operation: Operation) -> float:
        if operation.name == "while":
            length = self._lengths[operation]
            self._of_loop[operation] = sum(map(self._region, operation.regions)) * (1 if length is None else length)
            return self._of_loop[operation]
        if operation.name in ("case", "if"):
            return max(map(self._region, operation.regions), default=0.0)
        return float(self._own(operation)) if is_arithmetic(operation) else 0.0

    def _own(self, operation: Operation) -> int:
        if is_index(self._graph, operation):
            return 0
        made = self._graph.types[operation.results[0]].size
        taken = max((self._graph.types[operand].size for operand in operation.operands), default=0)
        if operation.name in ("dot_general", "convolution"):
            return 2 * made * operation.contracted
        if operation.name == "custom_call":  # of LAPACK: the order of a matrix times its elements
            shape = self._graph.types[operation.operands[0]].shape
            return taken * min(shape[-2:], default=1)
        return taken if operation.name in _BY_OPERANDS else made


def is_arithmetic(operation: Operation) -> bool:
    return operation.name not in _FREE and operation.name not in ("while", "case", "if") and not moved_from(operation)


def is_index(graph: Graph, operation: Operation) -> bool:
    made = graph.types[operation.results[0]]
    return not made.shape and made.dtype.lstrip("u").startswith("i")


class _Liveness:
    """The values that the results depend on, looked for from the end."""

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
