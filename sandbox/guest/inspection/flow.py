"""Static data flow: what each value of a program depends on.

A value's sources are the bits of an integer. Each analysis is a walk over the graph that says what an operation's
results come from; what a loop carries is walked until it changes no more.
"""

from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_

from .graph import Graph, Operation, Region

Sources = int
# These put numbers in other places, and compute none. The number of operands that hold data; the others say where.
MOVEMENT = {
    "broadcast_in_dim": 1, "reshape": 1, "transpose": 1, "slice": 1, "dynamic_slice": 1, "reverse": 1, "gather": 1,
    "concatenate": None, "dynamic_update_slice": 2, "pad": 2, "convert": 1, "copy": 1, "bitcast_convert": 1,
    "get_tuple_element": None, "tuple": None, "optimization_barrier": None,
}  # fmt: skip
# What is copied into them is computed elsewhere: these too only choose between numbers.
CHOICES = {"select": (1, 2), "clamp": (1,), "scatter": None}


class Flow:
    """The sources of every value; `transfer` says those of an operation's results, where it isn't the usual union."""

    def __init__(self, graph: Graph, transfer: Callable[["Flow", Operation], list[Sources] | None]) -> None:
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
        """`by`: what the choice depends on, its operand's sources as a rule."""
        by = self.of(operation.operands) if by is None else by
        branches = [self.region(region, []) for region in operation.regions]
        return [reduce(or_, results, by) for results in zip(*branches, strict=True)]

    def carried(self, loop: Operation) -> list[Sources]:
        """Whether there is another step decides on what the loop changes, and not on what it hands through."""
        condition, body = loop.regions
        carried = [self.sources[operand] for operand in loop.operands]
        changed = [result != argument for result, argument in zip(body.results, body.arguments, strict=True)]
        while True:
            by = self.region(condition, carried)[0]
            after = self.region(body, carried)
            grown = [
                before | (then | by if is_changed else 0)
                for before, then, is_changed in zip(carried, after, changed, strict=True)
            ]
            if grown == carried:
                return carried
            carried = grown


def no_transfer(_flow: Flow, _operation: Operation) -> None:
    return None


def moved_from(operation: Operation) -> list[int] | None:
    """The operands whose numbers the results hold, of an operation that computes none; else None."""
    if operation.name in MOVEMENT:
        return operation.operands[: MOVEMENT[operation.name]]
    if operation.name in CHOICES and not any(region.operations for region in operation.regions):
        chosen = CHOICES[operation.name]
        return operation.operands if chosen is None else [operation.operands[place] for place in chosen]
    return None
