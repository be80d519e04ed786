"""Find a program's Pallas kernels: the grid and the blocks of each, and what the program computes beside them.

Such a program is exported for a processor and for a GPU at once. Where it calls a kernel, it chooses between the loop
of the interpreter, which gives the answer here, and a call of Triton, which `module` removes. Both must have the same
grid. The blocks are read from the loop: in each step it puts them into the arrays that it carries.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sandbox.guest.inspection.dataflow import Flow, Sources
from sandbox.guest.inspection.graph import Graph, Operation, Refused, Region, Type, operations_in
from sandbox.guest.inspection.loops import ControlFlow

# Operations that prepare arrays for a kernel, or put its results together.
_STRUCTURES = ("while", "case", "if")
_PREPARING = {"reshape", "broadcast_in_dim", "slice", "pad", "convert", "bitcast_convert", "optimization_barrier"}
# Operations of the interpreter on arrays, before and after its loop.
_AROUND_LOOP = {"broadcast_in_dim", "constant", "pad", "reshape", "slice", "while"}
_UPDATE = "dynamic_update_slice"
_DIGITS = re.compile(r"\d+")
Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Block:
    """What each program of the grid has of an array. `array`: the number of the array's value, padded to blocks."""

    array: int
    type: Type


@dataclass(frozen=True, slots=True)
class Kernel:
    operation: Operation
    grid: tuple[int, ...]
    inputs: tuple[Block, ...]
    outputs: tuple[Block, ...]


def find_kernels(graph: Graph, loops: list[ControlFlow]) -> list[Kernel]:
    """Raises Refused if a kernel's two forms differ."""
    lengths = {found.operation: found.length for found in loops}
    return [_read(graph, one, lengths) for one in operations_in(graph.body) if one.kernel]


def _read(graph: Graph, operation: Operation, lengths: dict[Operation, int | None]) -> Kernel:
    kernel = operation.kernel
    assert kernel is not None
    interpreted = operation.regions[0].operations
    if beside := [one.name for one in interpreted if one.name not in _AROUND_LOOP and _makes_array(graph, one)]:
        raise Refused(f"a kernel on a processor has {beside[0]} beside the loop over its grid")
    found = [one for one in interpreted if one.name == "while"]
    if len(found) != 1 or lengths[found[0]] != math.prod(kernel.grid):
        raise Refused("a kernel has another grid on a processor than on a GPU")
    blocks = list(_blocks(graph, found[0]))
    if len(blocks) < kernel.inputs + len(operation.results):
        raise Refused("a kernel has other blocks on a processor than on a GPU")
    _check_step(graph, found[0])
    inputs, others = blocks[: kernel.inputs], blocks[kernel.inputs :]
    return Kernel(operation, kernel.grid, tuple(inputs), tuple(others[: len(operation.results)]))


def _makes_array(graph: Graph, operation: Operation) -> bool:
    return any(graph.types[result].shape for result in operation.results)


def _blocks(graph: Graph, loop: Operation) -> Iterator[Block]:
    """Yield the blocks of the arrays that the loop carries, in order: of the kernel's inputs, then of its outputs."""
    body = loop.regions[1]
    updates = [operation for operation in body.operations if operation.name == _UPDATE]
    blocks = {operation.operands[0]: graph.types[operation.operands[1]] for operation in updates}
    for array, argument in zip(loop.operands, body.arguments, strict=True):
        if argument in blocks:
            yield Block(array, blocks[argument])


def _check_step(graph: Graph, loop: Operation) -> None:
    """Check that a step of the loop sees its blocks, and nothing else of any array. Raises Refused."""
    body = loop.regions[1]
    inside = {value for one in operations_in(body) for value in (*one.results, *_arguments(one))}
    slices = {one.results[0]: one.operands[0] for one in body.operations if one.name == "dynamic_slice"}
    updates = {one.results[0]: one for one in body.operations if one.name == _UPDATE}
    for one in operations_in(body):
        others = one.operands[one.name in ("dynamic_slice", _UPDATE) :]
        if any(graph.types[value].shape and not (value in inside or _is_constant(graph, value)) for value in others):
            raise Refused(f"a kernel on a processor gives a whole array to {one.name}")
    arrays = [value for value in body.arguments if graph.types[value].shape]
    results = [value for value in body.results if graph.types[value].shape]
    for array, result in zip(arrays, results, strict=True):
        update = updates.get(result)
        if update is None or update.operands[0] != array:
            raise Refused("a kernel on a processor changes more of an array than its block")
        block = graph.types[update.operands[1]]
        if any(graph.types[read].size > block.size for read, of in slices.items() if of == array):
            raise Refused("a kernel on a processor reads more of an array than its block")


def _arguments(operation: Operation) -> Iterator[int]:
    for region in operation.regions:
        yield from region.arguments


def _is_constant(graph: Graph, value: int) -> bool:
    found = graph.definitions.get(value)
    return found is not None and found.name == "constant"


class KernelFlow:
    """How values flow through the kernels of a program, and beside them.

    `through`: the sources that reach a kernel on a way to the answer. `beside`: those that reach the answer by another
    way; it includes `mark` if a kernel's results reach the answer. `arrays`: the sources of each kernel's inputs.
    `computed`: the operations outside of kernels that depend on an argument, and don't just prepare arrays. `certain`:
    the loops that have at least one step.
    """

    def __init__(
        self,
        graph: Graph,
        kernels: list[Kernel],
        arguments: list[Sources],
        mark: Sources,
        certain: frozenset[Operation],
    ) -> None:
        self._certain = certain
        self._kernels = {kernel.operation: kernel for kernel in kernels}
        self._mark, self.through = mark, 0
        self.arrays: dict[int, Sources] = {}
        self._flow = Flow(graph, self._transfer)
        self.beside: Sources = 0
        for sources in self._flow.region(graph.body, arguments):
            self.beside |= sources
        self.computed = list(self._computed(graph.body))

    def _transfer(self, flow: Flow, operation: Operation) -> list[Sources] | None:
        kernel = self._kernels.get(operation)
        if kernel is None:
            return flow.after_steps(operation) if operation in self._certain else None
        for sources in flow.chosen(operation):
            self.through |= sources
        for block in kernel.inputs:
            self.arrays[block.array] = self.arrays.get(block.array, 0) | flow.sources[block.array]
        return [self._mark] * len(operation.results)

    def _computed(self, region: Region) -> Iterator[Operation]:
        for operation in region.operations:
            if operation in self._kernels:
                continue
            if operation.name not in (*_PREPARING, *_STRUCTURES) and self._flow.of(operation.results):
                yield operation
            if operation.name in _STRUCTURES:
                for inner in operation.regions:
                    yield from self._computed(inner)


def bytes_of(block: Type) -> int:
    """Return the block's size in memory: `complex<f32>` has two numbers, `i1` takes a byte."""
    bits = int(found[0]) if (found := _DIGITS.search(block.dtype)) else 8
    return block.size * max(bits // 8, 1) * (2 if block.dtype.startswith("complex") else 1)
