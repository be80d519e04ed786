"""Mistake: stores the whole block without the mask. On a GPU, what lies beyond a row overwrites the next one."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def row_softmax(x):
    """x: (R, C); returns (R, C)."""
    rows, columns = x.shape
    width = pl.next_power_of_2(columns)

    def softmax_of_row(x_ref, out_ref):
        exists = jnp.arange(width) < columns
        row = plgpu.load(x_ref.at[:], mask=exists, other=-jnp.inf)
        powers = jnp.exp(row - jnp.max(row))
        out_ref[...] = powers / jnp.sum(powers)

    block = pl.BlockSpec((None, width), lambda i: (i, 0))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(softmax_of_row, grid=(rows,), in_specs=[block], out_specs=block, out_shape=shape)(x)
