"""Mistake: returns the matrix as it is; rows must become columns."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def transpose(x):
    def kernel(x_ref, out_ref):
        row, column = pl.program_id(0) * 4 + jnp.arange(4), pl.program_id(1) * 4 + jnp.arange(4)
        exists = (row < x.shape[0])[:, None] & (column < x.shape[1])[None, :]
        plgpu.store(out_ref.at[:, :], x_ref[...], mask=exists)

    tile = pl.BlockSpec((4, 4), lambda i, j: (i, j))
    grid = (pl.cdiv(x.shape[0], 4), pl.cdiv(x.shape[1], 4))
    return pl.pallas_call(kernel, grid=grid, in_specs=[tile], out_specs=tile, out_shape=x)(x)
