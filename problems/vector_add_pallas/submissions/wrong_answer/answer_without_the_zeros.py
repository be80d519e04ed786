"""Mistake: returns N numbers; the answer goes on with zeros up to the next multiple of 8."""

import jax
from jax.experimental import pallas as pl


@jax.jit
def vector_add(x, y):
    def kernel(x_ref, y_ref, out_ref):
        out_ref[...] = x_ref[...] + y_ref[...]

    block = pl.BlockSpec((8,), lambda i: (i,))
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    grid = (pl.cdiv(len(x), 8),)
    return pl.pallas_call(kernel, grid=grid, in_specs=[block, block], out_specs=block, out_shape=result)(x, y)
