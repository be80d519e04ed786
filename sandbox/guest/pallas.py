"""Pallas kernels: interpreted in a box without a GPU, and compiled by Triton in one with a GPU.

JAX runs `pallas_call` on a processor only with `interpret=True`. Here a processor always interprets, so the same source
runs on both, without `interpret`. The interpreter runs the programs of a grid one after the other, and moves a block
that lies outside of its array back inside. A GPU does neither. So both refuse a grid of which several programs write
the same block of an output, and a block outside of its array.

It also drops what a kernel stores beyond the edge of an array, where a GPU overwrites other memory. So such a store
needs a mask.

This module replaces how JAX lowers a private primitive. It creates no backend.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import jax
import numpy as np
from jax._src.core import jaxprs_in_params
from jax._src.interpreters import mlir
from jax._src.literals import TypedInt
from jax._src.pallas import hlo_interpreter
from jax._src.pallas.pallas_call import pallas_call_p
from jax._src.pallas.primitives import swap_p as masked_swap_p
from jax._src.pallas.triton import pallas_call_registration as triton
from jax._src.state.indexing import Slice
from jax._src.state.primitives import swap_p
from jax._src.state.types import AccumEffect, WriteEffect
from jax.experimental import pallas as pl
from jax.extend.core import Literal, jaxpr_as_fun

MAX_PROGRAMS = 2**18

Row = tuple[int, ...]
ALIASES = "programs run at the same time, so one may read what another writes. Give both the same blocks"
NO_MASK = (
    "the kernel stores blocks of {sizes} into {name} without a mask. The last one has only {inside} elements inside of "
    "the array, and a GPU would overwrite other memory with the rest. Use plgpu.store(ref.at[:], values, mask=…)"
)


class BadGrid(ValueError):
    """A grid has no program, or more than can be checked."""


class SharedBlock(ValueError):
    """Several programs of a grid write the same block of an output."""


class BlockOutside(ValueError):
    """A program of a grid has a block that lies outside of its array."""


class InputChanged(ValueError):
    """A kernel writes into a block of an input."""


class NoMask(ValueError):
    """A kernel stores a block that reaches beyond the edge of its array, without a mask."""


class NotCompiled(ValueError):
    """Triton can't compile the kernel."""


def install() -> None:
    """Call once in a process."""
    # It multiplies the axes of a grid by operations, but only a loop over a constant is known to be short.
    vars(hlo_interpreter)["reduce"] = lambda _multiply, grid: math.prod(grid)
    TypedInt.shape = ()  # it asks an index such as 0 for its shape
    mlir.register_lowering(pallas_call_p, _interpret, platform="cpu")
    mlir.register_lowering(pallas_call_p, _compile, platform="cuda")


def _interpret(context: Any, *operands: Any, **options: Any) -> Any:
    check(options["grid_mapping"], options["jaxpr"], options["input_output_aliases"])
    del options["interpret"]
    interpreted = partial(hlo_interpreter.pallas_call_hlo_interpret, **options)
    return mlir.lower_fun(interpreted, multiple_results=True)(context, *operands)


def _compile(context: Any, *operands: Any, **options: Any) -> Any:
    check(options["grid_mapping"], options["jaxpr"], options["input_output_aliases"])
    try:
        return triton.pallas_call_lowering(context, *operands, **options)
    except Exception as error:
        raise NotCompiled(f"Pallas can't compile this kernel for a GPU: {str(error) or repr(error)}") from error


def check(grid_mapping: Any, kernel: Any, aliases: Sequence[tuple[int, int]]) -> None:
    """Raises BadGrid, SharedBlock, BlockOutside, InputChanged and NoMask.

    `aliases`: the numbers of inputs and of the outputs that have the same memory.
    """
    if grid_mapping.num_dynamic_grid_bounds or grid_mapping.num_index_operands:  # Triton has neither
        return
    grid, inputs = grid_mapping.grid, grid_mapping.num_inputs
    if 0 in grid:
        raise BadGrid(f"the grid {grid} has no program. Round up: pl.cdiv(size, block)")
    if math.prod(grid) > MAX_PROGRAMS:
        raise BadGrid(f"the grid {grid} has more than {MAX_PROGRAMS:,} programs. Choose larger blocks")
    programs: list[Row] = list(np.ndindex(grid))
    mappings = grid_mapping.block_mappings
    blocks = [_blocks(mapping.index_map_jaxpr, programs) for mapping in mappings]
    for place, mapping in enumerate(mappings[:inputs]):
        _check_inside(f"input {place}", mapping, programs, blocks[place])
    for place, mapping in enumerate(mappings[inputs:]):
        _check_inside(f"output {place}", mapping, programs, blocks[inputs + place])
        _check_apart(f"output {place}", programs, blocks[inputs + place])
        _check_edge(f"output {place}", mapping, blocks[inputs + place], kernel)
    _check_inputs(kernel, inputs)
    for given, output in aliases:
        if blocks[given] != blocks[inputs + output]:
            raise SharedBlock(f"input {given} shares its memory with output {output}, but not its blocks: {ALIASES}")


def _blocks(index_map: Any, programs: list[Row]) -> list[Row]:
    """Return the indices of each program's block."""
    ids = np.array(programs, np.int32).reshape(len(programs), -1)
    if index_map.eqns:
        with jax.ensure_compile_time_eval():
            columns = jax.vmap(jaxpr_as_fun(index_map))(*ids.T)
    else:  # as most are: it only selects and reorders
        place = {variable: at for at, variable in enumerate(index_map.jaxpr.invars)}
        chosen = index_map.jaxpr.outvars
        columns = [one.val if isinstance(one, Literal) else ids[:, place[one]] for one in chosen]
    rows = np.array([np.broadcast_to(column, len(programs)) for column in columns], np.int64).reshape(-1, len(programs))
    return [tuple(row) for row in rows.T.tolist()]


def _check_inside(name: str, mapping: Any, programs: list[Row], blocks: list[Row]) -> None:
    counts = tuple(map(_count, mapping.block_shape, mapping.array_aval.shape))
    for program, block in zip(programs, blocks, strict=True):
        if not all(0 <= index < count for index, count in zip(block, counts, strict=True)):
            raise BlockOutside(
                f"program {program} of the grid has block {block} of {name}, which has {counts} blocks. The first "
                "block of an axis has index 0. Change `grid`, or the index_map of its BlockSpec"
            )


def _count(size: Any, length: int) -> int:
    """Return how many indices an axis has: a block of `pl.Element` begins at any element."""
    return -(-length // size.block_size) if isinstance(size, pl.Blocked) else length


def _check_apart(name: str, programs: list[Row], blocks: list[Row]) -> None:
    first: dict[Row, Row] = {}
    for program, block in zip(programs, blocks, strict=True):
        if block in first:
            raise SharedBlock(
                f"programs {first[block]} and {program} of the grid both write block {block} of {name}. A GPU runs "
                "them at the same time, so the answer would depend on chance. Give each program a block of its own "
                "with the index_map of out_specs. To sum over an axis, loop over it inside of one program"
            )
        first[block] = program


def _check_inputs(kernel: Any, inputs: int) -> None:
    written = {effect.input for effect in kernel.effects if isinstance(effect, WriteEffect | AccumEffect)}
    for place, ref in enumerate(kernel.invars[:inputs]):
        if ref in written:
            raise InputChanged(f"the kernel writes into input {place}. Other programs may read it. Use an output")


def _check_edge(name: str, mapping: Any, blocks: list[Row], kernel: Any) -> None:
    """Check the stores into references of the block's shape for masks, if a block reaches beyond the edge."""
    places = [place for place, size in enumerate(mapping.block_shape) if isinstance(size, pl.Blocked)]
    sizes = tuple(mapping.block_shape[place].block_size for place in places)
    most = [max(block[place] for block in blocks) for place in places]
    lengths = [mapping.array_aval.shape[place] for place in places]
    inside = [min(size, length - last * size) for size, length, last in zip(sizes, lengths, most, strict=True)]
    for stored in _plain_stores(kernel):
        if stored.shape == sizes and any(end > limit for end, limit in zip(stored.ends, inside, strict=True)):
            raise NoMask(NO_MASK.format(name=name, inside=tuple(inside), sizes=sizes))


def _plain_stores(kernel: Any) -> Iterator["_Store"]:
    """Yield the stores of a kernel that have no mask."""
    for equation in kernel.eqns:
        for inner in jaxprs_in_params(equation.params):
            yield from _plain_stores(inner)
        if equation.primitive is swap_p:
            yield _Store.of(equation.invars[0], jax.tree.unflatten(equation.params["tree"], equation.invars[2:]))
        elif equation.primitive is masked_swap_p:
            ref, indexers, _, mask = jax.tree.unflatten(equation.params["args_tree"], equation.invars)
            if mask is None:
                yield _Store.of(ref, indexers)


@dataclass(frozen=True, slots=True)
class _Store:
    """`shape`: of the reference. `ends`: where the store ends along each axis, or 0 where that is not known."""

    shape: Row
    ends: Row

    @classmethod
    def of(cls, ref: Any, indexers: Sequence[Any]) -> Self:
        indices = indexers[0].indices if len(indexers) == 1 else map(Slice, (0,) * len(ref.aval.shape), ref.aval.shape)
        return cls(ref.aval.shape, tuple(map(_end, indices)))


def _end(index: Any) -> int:
    is_known = isinstance(index, Slice) and isinstance(index.start, int) and isinstance(index.size, int)
    return index.start + (index.size - 1) * index.stride + 1 if is_known else 0
