"""Static data flow: which values of a program depend on which, inside and outside a certain loop or choice.

The sources of a value are the bits of an integer. Each analysis walks the graph and combines the sources of operands
into those of results. Values that a loop carries are iterated to a fixed point.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from sandbox.guest.inspection.graph import Graph, Operation, Region

Sources = int
# Operations that only move numbers. The value counts the operands that hold data; the others are positions.
MOVEMENT = {
    "broadcast_in_dim": 1, "reshape": 1, "transpose": 1, "slice": 1, "dynamic_slice": 1, "reverse": 1, "gather": 1,
    "concatenate": None, "dynamic_update_slice": 2, "pad": 2, "convert": 1, "copy": 1, "bitcast_convert": 1,
    "get_tuple_element": None, "tuple": None, "optimization_barrier": None,
}  # fmt: skip
# Operations that choose between numbers computed elsewhere.
CHOICES = {"select": (1, 2), "clamp": (1,), "scatter": None}
# A step may read this many times its part of a parameter, for overlapping windows and second reads.
OVERLAP = 4


class Flow:
    """The sources of every value. `transfer` returns those of an operation's results where they are not the usual
    union.
    """

    def __init__(
        self, graph: Graph, transfer: Callable[["Flow", Operation], list[Sources] | None] = lambda *_: None
    ) -> None:
        self.graph = graph
        self._transfer = transfer
        self.sources: dict[int, Sources] = {}

    def of(self, values: Iterable[int]) -> Sources:
        return reduce(or_, (self.sources[value] for value in values), 0)

    def region(self, region: Region, arguments: list[Sources]) -> list[Sources]:
        self.sources.update(zip(region.arguments, arguments, strict=True))
        for operation in region.operations:
            self.sources.update(zip(operation.results, self.results(operation), strict=True))
        return [self.sources[value] for value in region.results]

    def results(self, operation: Operation) -> list[Sources]:
        found = self._transfer(self, operation)
        if found is not None:
            return found
        if operation.name == "while":
            return self.carried(operation)
        if operation.name in ("case", "if"):
            return self.chosen(operation)
        if operation.name == "optimization_barrier":
            return [self.sources[operand] for operand in operation.operands]
        operands = self.of(operation.operands)
        inner = [self.region(region, [operands] * len(region.arguments)) for region in operation.regions]
        return [reduce(or_, (one for results in inner for one in results), operands)] * len(operation.results)

    def chosen(self, operation: Operation, by: Sources | None = None) -> list[Sources]:
        """`by`: the sources of the choice itself; by default those of the operands."""
        by = self.of(operation.operands) if by is None else by
        branches = [self.region(region, []) for region in operation.regions]
        return [reduce(or_, results, by) for results in zip(*branches, strict=True)]

    def carried(self, loop: Operation) -> list[Sources]:
        """The loop's condition is a source of the values that the loop changes, but not of those it passes through."""
        condition, body = loop.regions
        changed = [result != argument for result, argument in zip(body.results, body.arguments, strict=True)]

        def step(carried: list[Sources]) -> list[Sources]:
            by = self.region(condition, carried)[0]
            after = self.region(body, carried)
            return [then | by if is_changed else 0 for then, is_changed in zip(after, changed, strict=True)]

        return settled([self.sources[operand] for operand in loop.operands], step)[0]

    def after_steps(self, loop: Operation) -> list[Sources]:
        """Of a loop that has at least one step: a value that a step computes replaces the value from before."""
        condition, body = loop.regions

        def step(carried: list[Sources]) -> list[Sources]:
            self.region(condition, carried)
            return self.region(body, carried)

        return settled([self.sources[operand] for operand in loop.operands], step)[1]


def settled(
    carried: list[Sources], step: Callable[[list[Sources]], list[Sources]]
) -> tuple[list[Sources], list[Sources]]:
    """Return the sources of what a loop carries, and of what a step makes of it, when no further step adds any."""
    while True:
        after = step(carried)
        grown = [before | then for before, then in zip(carried, after, strict=True)]
        if grown == carried:
            return carried, after
        carried = grown


def moved_from(operation: Operation) -> list[int] | None:
    """Return the operands whose numbers the results hold, if the operation computes none; otherwise None."""
    if operation.name in MOVEMENT:
        return operation.operands[: MOVEMENT[operation.name]]
    if operation.name in CHOICES and not any(region.operations for region in operation.regions):
        chosen = CHOICES[operation.name]
        return operation.operands if chosen is None else [operation.operands[place] for place in chosen]
    return None


@dataclass(frozen=True, slots=True)
class Target:
    """A `while`, `case` or `if`. `length`: of a counted loop. `certain`: the loops that have at least one step.

    `around`: the loops that contain it.
    """

    operation: Operation
    length: int | None
    certain: frozenset[Operation]
    around: frozenset[Operation]


def beside(graph: Graph, arguments: list[Sources], target: Target, mark: Sources) -> Sources:
    """Return the sources that reach the program's results without passing through arithmetic in the target.

    Values that are only passed through, or moved inside the target, count as beside it. The result includes `mark` if
    the program's results depend on the target's computation at all.
    """

    def transfer(flow: Flow, operation: Operation) -> list[Sources] | None:
        return _Cut(flow, target, mark).results() if operation is target.operation else None

    return reduce(or_, Flow(graph, transfer).region(graph.body, arguments), 0)


class _Cut:
    """Arithmetic in the target replaces the sources by the mark; movement keeps them."""

    def __init__(self, outer: Flow, target: Target, mark: Sources) -> None:
        self._target, self._mark = target, mark
        self._flow = Flow(outer.graph, self._transfer)
        self._flow.sources = outer.sources

    def results(self) -> list[Sources]:
        if self._target.operation.name == "while":
            return self._flow.after_steps(self._target.operation)
        return self._flow.chosen(self._target.operation, by=self._mark)

    def _transfer(self, flow: Flow, operation: Operation) -> list[Sources] | None:
        if operation.name == "while":
            return flow.after_steps(operation) if operation in self._target.certain else None
        if operation.name in ("case", "if"):
            return flow.chosen(operation, by=self._mark)
        if operation.name == "optimization_barrier":
            return None
        data = moved_from(operation)
        return [self._mark if data is None else flow.of(data)] * len(operation.results)


@dataclass(frozen=True, slots=True)
class Fed:
    """`through`: sources of the target's results. `whole`: parameters that a step uses more of than its part."""

    through: Sources
    whole: Sources


def feeding(graph: Graph, arguments: list[Sources], target: Target, varies: Sources) -> Fed:
    """`varies`: a separate bit for values that differ in each step."""
    fed, seen = _Fed(target), _Seen(target, varies)
    Flow(graph, fed.transfer).region(graph.body, arguments)
    Flow(graph, seen.outside).region(graph.body, arguments)
    sizes: Counter[Sources] = Counter()
    for value, source in zip(graph.body.arguments, arguments, strict=True):
        sizes[source] += graph.types[value].size
    return Fed(through=fed.through, whole=seen.whole & ~varies | seen.taken_whole(sizes))


class _Fed:
    def __init__(self, target: Target) -> None:
        self._target = target
        self.through: Sources = 0

    def transfer(self, flow: Flow, operation: Operation) -> list[Sources] | None:
        """Values that a loop passes through unchanged do not count."""
        if operation is not self._target.operation:
            return None
        if operation.name != "while":
            results = flow.chosen(operation)
            self.through |= reduce(or_, results, 0)
            return results
        results, body = flow.carried(operation), operation.regions[1]
        for sources, before, after in zip(results, body.arguments, body.results, strict=True):
            self.through |= sources if before != after else 0
        return results


class _Seen:
    """Records what a step of the target reads from outside.

    For surrounding loops only the first step is analysed, since accumulated results no longer count as data.
    """

    def __init__(self, target: Target, varies: Sources) -> None:
        self._target, self._varies = target, varies
        self._taken: dict[Operation, tuple[Sources, int]] = {}
        self.whole: Sources = 0

    def taken_whole(self, sizes: Mapping[Sources, int]) -> Sources:
        """Return the parameters whose slices in one step add up to more than its part. `sizes`: of each parameter."""
        found = 0
        for parameter, size in sizes.items():
            taken = sum(elements for sources, elements in self._taken.values() if sources & parameter)
            if taken * (self._target.length or OVERLAP) > OVERLAP * size:
                found |= parameter
        return found

    def outside(self, flow: Flow, operation: Operation) -> list[Sources] | None:
        if operation in self._target.around:
            first = [flow.sources[operand] for operand in operation.operands]
            after = flow.region(operation.regions[1], first)
            return [before | then for before, then in zip(first, after, strict=True)]
        if operation is self._target.operation and operation.name == "while":
            self._look_inside(flow, operation)
        return None

    def _look_inside(self, outer: Flow, loop: Operation) -> None:
        flow, body = Flow(outer.graph, self._inside), loop.regions[1]
        flow.sources = dict(outer.sources)
        carried = [
            flow.sources[operand] | (self._varies if result != argument else 0)
            for operand, result, argument in zip(loop.operands, body.results, body.arguments, strict=True)
        ]
        settled(carried, lambda carried: flow.region(body, carried))

    def _inside(self, flow: Flow, operation: Operation) -> list[Sources] | None:
        is_slice = operation.name in ("dynamic_slice", "gather")
        if is_slice and flow.of(operation.operands[1:]) & self._varies:
            taken = flow.graph.types[operation.results[0]].size
            before = self._taken.get(operation, (0, 0))[0]
            self._taken[operation] = (before | flow.of(operation.operands[:1]), taken)
            return [self._varies] * len(operation.results)
        if moved_from(operation) is None and operation.name not in ("while", "case", "if"):
            self.whole |= flow.of(operation.operands)
        return None
