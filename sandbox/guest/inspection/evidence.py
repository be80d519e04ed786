"""Collect the facts about a program that the host judges, as plain values named in `app.judging.requirement`.

`copies` detects an unrolled loop, which leaves several copies of its body in the program.
"""

import math
from collections import Counter
from typing import Any

from sandbox.guest.inspection.dataflow import Sources, Target, beside, feeding
from sandbox.guest.inspection.flops import Work
from sandbox.guest.inspection.graph import Graph, Operation, operations_in
from sandbox.guest.inspection.kernels import Block, Kernel, KernelFlow, bytes_of
from sandbox.guest.inspection.loops import ControlFlow, find_branches, find_loops
from sandbox.guest.inspection.module import dtype_of
from sandbox.guest.trace_signature import Leaf

# Share of the arithmetic that must occur in groups of a number, for that number to count as copies of a body.
MOST = 2 / 3
# Stands for the steps of a loop that nobody can count.
MANY = 2**31
# Each loop or branch costs several walks over the program. The rest are reported as not taking part.
MAX_EXAMINED = 48


def copies(graph: Graph, arithmetic: list[Operation]) -> int:
    """Return the number of copies that most of the arithmetic divides into, or the largest on a tie; 1 without
    repetition.

    Operations are alike when their names and their operand and result types are equal. A first or last step often lacks
    one, such as adding to zero. Scalar integers are indices and counters, and are ignored.
    """
    alike = Counter(_kind(graph, one) for one in arithmetic if not _is_index(graph, one))
    best, found = MOST * alike.total(), 1
    for number in sorted({count + one for count in alike.values() for one in (0, 1)} - {0, 1, 2}):
        parted = sum(count for count in alike.values() if count % number in (0, number - 1) and count >= number - 1)
        if parted >= best > 0:
            best, found = parted, number
    return found


def _is_index(graph: Graph, operation: Operation) -> bool:
    made = graph.types[operation.results[0]]
    return not made.shape and made.is_whole


def _kind(graph: Graph, operation: Operation) -> tuple[object, ...]:
    types = [graph.types[value] for value in (*operation.operands, *operation.results)]
    return (operation.name, operation.contracted, *types)


Facts = dict[str, Any]


def gather(graph: Graph, kernels: list[Kernel], leaves: list[Leaf], temporary_bytes: int) -> Facts:
    found = _Gathering(graph, leaves)
    return found.facts(temporary_bytes) | {"kernels": found.kernels(kernels)}


class _Gathering:
    def __init__(self, graph: Graph, leaves: list[Leaf]) -> None:
        self._graph = graph
        self._names = list(dict.fromkeys(leaf.parameter for leaf in leaves))
        self._arguments: list[Sources] = [1 << self._names.index(leaf.parameter) for leaf in leaves]
        self._mark: Sources = 1 << len(self._names)
        self.loops, self.branches = find_loops(graph), find_branches(graph)
        self.work = Work(graph, self.loops)
        self._certain = frozenset(found.operation for found in self.loops if found.length)

    def facts(self, temporary_bytes: int) -> Facts:
        arithmetic = self.work.arithmetic()
        operations = Counter(one.name for one in operations_in(self._graph.body))
        return {
            "loops": self._loops(),
            "branches": self._branches(),
            "operations": dict(operations),
            "copies": copies(self._graph, arithmetic),
            "axes": dict(self.work.by_axis),
            "equations": operations.total() - operations["constant"],
            "temporary_bytes": temporary_bytes,
            "flops": self.work.flops,
            "unbounded": self.work.unbounded,
        }

    def _loops(self) -> list[Facts]:
        weight = {found: self.work.share(found) for found in self.loops}
        examined = set(sorted(self.loops, key=lambda found: -weight[found])[:MAX_EXAMINED])
        facts = {found: self._passing(found, with_whole=True) for found in examined}
        return [
            {
                "index": index,
                "length": found.length,
                "steps": found.steps,
                **self._outside(found, facts),
                **facts.get(found, {"takes_part": False}),
            }
            for index, found in enumerate(self.loops)
        ]

    def _outside(self, found: ControlFlow, facts: dict[ControlFlow, Facts]) -> Facts:
        outside, flops = self.work.outside(_alike(found, facts)), self.work.flops
        return {"outside": outside, "share": max(0.0, flops - outside) / flops if flops else 0.0}

    def _branches(self) -> list[Facts]:
        return [
            {
                "index": index,
                "branches": len(found.operation.regions),
                **(self._passing(found, with_whole=False) if index < MAX_EXAMINED else {"takes_part": False}),
            }
            for index, found in enumerate(self.branches)
        ]

    def _passing(self, found: ControlFlow, *, with_whole: bool) -> Facts:
        around = frozenset(loop.operation for loop in found.around)
        target = Target(found.operation, found.length, self._certain, around)
        reached = beside(self._graph, self._arguments, target, self._mark)
        fed = feeding(self._graph, self._arguments, target, self._mark)
        facts = {
            "takes_part": bool(reached & self._mark),
            "fed_by": self._parameters(fed.through),
            "bypassed_by": self._parameters(reached),
        }
        return facts | ({"whole": self._parameters(fed.whole)} if with_whole else {})

    def kernels(self, kernels: list[Kernel]) -> Facts | None:
        if not kernels:
            return None
        flow = KernelFlow(self._graph, kernels, self._arguments, self._mark, self._certain)
        live = {one.name for one in flow.computed if self.work.is_live(one)}
        return {
            "calls": [
                {
                    "grid": one.grid,
                    "inputs": [self._block(block, one.grid, flow.arrays[block.array]) for block in one.inputs],
                    "outputs": [self._block(block, one.grid, 0) for block in one.outputs],
                    "times": self._times(one),
                }
                for one in kernels
            ],
            "takes_part": bool(flow.beside & self._mark),
            "fed_by": self._parameters(flow.through),
            "bypassed_by": self._parameters(flow.beside),
            "outside": tuple(sorted(live)),
        }

    def _times(self, kernel: Kernel) -> int:
        around = [loop for loop in self.loops if kernel.operation in operations_in(loop.operation.regions[1])]
        return math.prod(MANY if loop.length is None else loop.length for loop in around)

    def _block(self, block: Block, grid: tuple[int, ...], sources: Sources) -> Facts:
        return {
            "parameters": self._parameters(sources),
            "dtype": dtype_of(block.type),
            "shape": block.type.shape,
            "bytes": bytes_of(block.type),
            "total_bytes": math.prod(grid) * bytes_of(block.type),
            "array_bytes": bytes_of(self._graph.types[block.array]),
        }

    def _parameters(self, sources: Sources) -> tuple[str, ...]:
        return tuple(name for place, name in enumerate(self._names) if sources >> place & 1)


def _alike(found: ControlFlow, facts: dict[ControlFlow, Facts]) -> list[ControlFlow]:
    """Return the loops of the same length that read as little per step: the gradient of a scan is a second loop."""
    whole = set(facts[found]["whole"]) if found in facts else set()
    others = [one for one, known in facts.items() if known["takes_part"] and known["fed_by"]]
    return [found, *(one for one in others if one.length == found.length and set(facts[one]["whole"]) <= whole)]
