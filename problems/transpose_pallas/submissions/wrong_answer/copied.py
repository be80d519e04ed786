"""Mistake: returns the matrix as it is; rows must become columns."""

import jax
from jax.experimental import pallas as pl


@jax.jit
def transpose(x):
    def kernel(x_ref, out_ref):
        out_ref[...] = x_ref[...]

    tile = pl.BlockSpec((4, 4), lambda i, j: (i, j))
    grid = (pl.cdiv(x.shape[0], 4), pl.cdiv(x.shape[1], 4))
    return pl.pallas_call(kernel, grid=grid, in_specs=[tile], out_specs=tile, out_shape=x)(x)
