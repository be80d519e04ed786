"""Three kernels: running sums of each block, running sums of their totals, and the addition of both."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@functools.partial(jax.jit, static_argnames="block_size")
def prefix_sum(x, block_size):
    n = x.shape[0]
    blocks = -(-n // block_size)
    width = pl.next_power_of_2(blocks)
    one, many = pl.BlockSpec((1,), lambda i: (i,)), pl.BlockSpec((block_size,), lambda i: (i,))

    def inside():
        return pl.program_id(0) * block_size + jnp.arange(block_size) < n

    def scan_blocks(x_ref, scanned_ref, total_ref):
        numbers = plgpu.load(x_ref, mask=inside(), other=0.0)
        plgpu.store(scanned_ref, jnp.cumsum(numbers), mask=inside())
        total_ref[0] = jnp.sum(numbers)

    def scan_totals(total_ref, offset_ref):
        has_block = jnp.arange(width) < blocks
        totals = plgpu.load(total_ref, mask=has_block, other=0.0)
        plgpu.store(offset_ref, jnp.cumsum(totals) - totals, mask=has_block)

    def add_offsets(scanned_ref, offset_ref, y_ref):
        plgpu.store(y_ref, plgpu.load(scanned_ref, mask=inside(), other=0.0) + offset_ref[0], mask=inside())

    numbers, totals = jax.ShapeDtypeStruct((n,), jnp.float32), jax.ShapeDtypeStruct((blocks,), jnp.float32)
    scanned, sums = pl.pallas_call(
        scan_blocks, grid=(blocks,), in_specs=[many], out_specs=[many, one], out_shape=[numbers, totals]
    )(x)
    whole = pl.BlockSpec((width,), lambda i: (0,))
    offsets = pl.pallas_call(scan_totals, grid=(1,), in_specs=[whole], out_specs=whole, out_shape=totals)(sums)
    return pl.pallas_call(
        add_offsets, grid=(blocks,), in_specs=[many, one], out_specs=many, out_shape=numbers
    )(scanned, offsets)
