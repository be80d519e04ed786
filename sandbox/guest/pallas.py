"""Pallas kernels: interpreted in a box without a GPU, and compiled by Triton in one with a GPU.

JAX runs `pallas_call` on a processor only with `interpret=True`. Here a processor always interprets, so the same source
runs on both, without `interpret`. The interpreter runs the programs of a grid one after the other, and moves a block
that lies outside of its array back inside. A GPU does neither. So both refuse a grid of which several programs write
the same block of an output, and a block outside of its array.

This module replaces how JAX lowers a private primitive. It creates no backend.
"""

import math
from functools import partial
from typing import Any

import jax
import numpy as np
from jax._src.interpreters import mlir
from jax._src.pallas import hlo_interpreter
from jax._src.pallas.pallas_call import pallas_call_p
from jax._src.pallas.triton import pallas_call_registration as triton
from jax.experimental import pallas as pl
from jax.extend.core import Literal, jaxpr_as_fun

MAX_PROGRAMS = 2**18

Row = tuple[int, ...]


class BadGrid(ValueError):
    """A grid has no program, or more than can be checked."""


class SharedBlock(ValueError):
    """Several programs of a grid write the same block of an output."""


class BlockOutside(ValueError):
    """A program of a grid has a block that lies outside of its array."""


class NotCompiled(ValueError):
    """Triton can't compile the kernel."""


def install() -> None:
    """Call once in a process."""
    # It multiplies the axes of a grid by operations, but only a loop over a constant is known to be short.
    vars(hlo_interpreter)["reduce"] = lambda _multiply, grid: math.prod(grid)
    mlir.register_lowering(pallas_call_p, _interpret, platform="cpu")
    mlir.register_lowering(pallas_call_p, _compile, platform="cuda")


def _interpret(context: Any, *operands: Any, **options: Any) -> Any:
    check(options["grid_mapping"])
    del options["interpret"]
    interpreted = partial(hlo_interpreter.pallas_call_hlo_interpret, **options)
    return mlir.lower_fun(interpreted, multiple_results=True)(context, *operands)


def _compile(context: Any, *operands: Any, **options: Any) -> Any:
    check(options["grid_mapping"])
    try:
        return triton.pallas_call_lowering(context, *operands, **options)
    except Exception as error:
        raise NotCompiled(f"Pallas can't compile this kernel for a GPU: {str(error) or repr(error)}") from error


def check(grid_mapping: Any) -> None:
    """Raises BadGrid, SharedBlock, BlockOutside."""
    if grid_mapping.num_dynamic_grid_bounds or grid_mapping.num_index_operands:  # Triton has neither
        return
    grid = grid_mapping.grid
    if 0 in grid:
        raise BadGrid(f"the grid {grid} has no program. Round up: pl.cdiv(size, block)")
    if math.prod(grid) > MAX_PROGRAMS:
        raise BadGrid(f"the grid {grid} has more than {MAX_PROGRAMS:,} programs. Choose larger blocks")
    programs: list[Row] = list(np.ndindex(grid))
    for place, mapping in enumerate(grid_mapping.block_mappings):
        blocks = _blocks(mapping.index_map_jaxpr, programs)
        output = place - grid_mapping.num_inputs
        _check_inside(f"input {place}" if output < 0 else f"output {output}", mapping, programs, blocks)
        if output >= 0:
            _check_apart(f"output {output}", programs, blocks)


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
