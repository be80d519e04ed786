"""Sum in two stages: a partial sum for each block, and then the same kernel with one program for all partial sums."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@functools.partial(jax.jit, static_argnames="block_size")
def two_stage_sum(x, block_size):
    """x: (N,); returns the sum as an array of shape ()."""
    partial = sums_of_blocks(x, block_size)
    total = sums_of_blocks(partial, pl.next_power_of_2(len(partial)))
    return total[0]


def sums_of_blocks(x, block_size):
    """x: (N,); returns the sum of each block, as many as there are programs."""
    programs = pl.cdiv(len(x), block_size)
    return pl.pallas_call(
        functools.partial(sum_of_block, size=len(x)),
        grid=(programs,),
        in_specs=[pl.BlockSpec((block_size,), lambda i: (i,))],
        out_specs=pl.BlockSpec((1,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct((programs,), jnp.float32),
    )(x)


def sum_of_block(x_ref, sum_ref, *, size):
    """x_ref: (block,), of which places from `size` on are beyond the array; sum_ref: (1,)."""
    block = x_ref.shape[0]
    places = pl.program_id(0) * block + jnp.arange(block)
    sum_ref[0] = jnp.sum(plgpu.load(x_ref, mask=places < size, other=0.0))
