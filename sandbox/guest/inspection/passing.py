"""What reaches an answer by way of a certain loop or choice, and what reaches it beside."""

from dataclasses import dataclass
from functools import reduce
from operator import or_

from .flow import Flow, Sources, moved_from
from .graph import Graph, Operation

# A step may look at this many times its part of the data, for windows that overlap.
OVERLAP = 2


@dataclass(frozen=True, slots=True)
class Target:
    """A `while`, `case` or `if`. `length`: of a counted loop. `certain`: the loops that have at least one step.

    `around`: the loops that it is in.
    """

    operation: Operation
    length: int | None
    certain: frozenset[Operation]
    around: frozenset[Operation]


def beside(graph: Graph, arguments: list[Sources], target: Target, mark: Sources) -> Sources:
    """What reaches the results of the program without passing through arithmetic in the target.

    What only passes it by, is handed through, or is copied there from one place to another, counts as beside it. With
    `mark` among them when the results depend on what the target computes at all.
    """

    def transfer(flow: Flow, operation: Operation) -> list[Sources] | None:
        return _Cut(flow, target, mark).results() if operation is target.operation else None

    return reduce(or_, Flow(graph, transfer).region(graph.body, arguments), 0)


class _Cut:
    """Arithmetic in here makes something new of what it gets, and movement does not."""

    def __init__(self, outer: Flow, target: Target, mark: Sources) -> None:
        self._target, self._mark = target, mark
        self._flow = Flow(outer.graph, self._transfer)
        self._flow.sources = outer.sources

    def results(self) -> list[Sources]:
        if self._target.operation.name == "while":
            return self._made(self._target.operation)
        return self._flow.chosen(self._target.operation, by=self._mark)

    def _transfer(self, flow: Flow, operation: Operation) -> list[Sources] | None:
        if operation.name == "while":
            return self._made(operation) if operation in self._target.certain else None
        if operation.name in ("case", "if"):
            return flow.chosen(operation, by=self._mark)
        if operation.name == "optimization_barrier":
            return None
        data = moved_from(operation)
        return [self._mark if data is None else flow.of(data)] * len(operation.results)

    def _made(self, loop: Operation) -> list[Sources]:
        """What a step makes anew takes the place of what there was before."""
        condition, body = loop.regions
        carried = [self._flow.sources[operand] for operand in loop.operands]
        while True:
            self._flow.region(condition, carried)
            after = self._flow.region(body, carried)
            grown = [before | then for before, then in zip(carried, after, strict=True)]
            if grown == carried:
                return after
            carried = grown


@dataclass(frozen=True, slots=True)
class Fed:
    """`through`: what the target's results depend on. `whole`: of what a step uses more than its part."""

    through: Sources
    whole: Sources


def feeding(graph: Graph, arguments: list[Sources], target: Target, varies: Sources) -> Fed:
    """`varies`: a bit of its own, for what is another in each step."""
    fed, seen = _Fed(target), _Seen(target, varies)
    Flow(graph, fed.transfer).region(graph.body, arguments)
    Flow(graph, seen.outside).region(graph.body, arguments)
    return Fed(through=fed.through, whole=seen.whole & ~varies)


class _Fed:
    def __init__(self, target: Target) -> None:
        self._target = target
        self.through: Sources = 0

    def transfer(self, flow: Flow, operation: Operation) -> list[Sources] | None:
        """What a loop hands through does not count."""
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
    """What a step of the target gets from outside. Of the loops around it one step is looked at, since what they have
    added up so far is no data any more.
    """

    def __init__(self, target: Target, varies: Sources) -> None:
        self._target, self._varies = target, varies
        self.whole: Sources = 0

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
        while True:
            after = flow.region(body, carried)
            grown = [before | then for before, then in zip(carried, after, strict=True)]
            if grown == carried:
                return
            carried = grown

    def _inside(self, flow: Flow, operation: Operation) -> list[Sources] | None:
        if operation.name in ("dynamic_slice", "gather") and self._is_part(flow, operation):
            return [self._varies] * len(operation.results)
        if moved_from(operation) is None and operation.name not in ("while", "case", "if"):
            self.whole |= flow.of(operation.operands)
        return None

    def _is_part(self, flow: Flow, operation: Operation) -> bool:
        """Whether the step's counter chooses what is taken, and no more is taken than a step's part."""
        types, data = flow.graph.types, operation.operands[0]
        taken = types[operation.results[0]].size * (self._target.length or OVERLAP)
        return bool(flow.of(operation.operands[1:]) & self._varies) and taken <= OVERLAP * types[data].size
