"""Mistake: adds the references themselves; a reference is a place in memory, and `x_ref[...]` reads it."""

import jax
from jax.experimental import pallas as pl


@jax.jit
def vector_add(x, y):
    blocks = pl.cdiv(len(x), 8)

    def kernel(x_ref, y_ref, out_ref):
        out_ref[...] = x_ref + y_ref

    block = pl.BlockSpec((8,), lambda i: (i,))
    padded = jax.ShapeDtypeStruct((blocks * 8,), x.dtype)
    return pl.pallas_call(kernel, grid=(blocks,), in_specs=[block, block], out_specs=block, out_shape=padded)(x, y)
