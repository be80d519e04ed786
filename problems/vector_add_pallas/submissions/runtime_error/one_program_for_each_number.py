"""Mistake: starts one program for each number. A program adds a whole block, so the later programs have blocks that
do not exist."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def vector_add(x, y):
    n = x.shape[0]
    blocks = pl.cdiv(n, 8)

    def kernel(x_ref, y_ref, out_ref):
        place = pl.program_id(0) * 8 + jnp.arange(8)
        out_ref[...] = jnp.where(place < n, x_ref[...] + y_ref[...], 0)

    block = pl.BlockSpec((8,), lambda i: (i,))
    padded = jax.ShapeDtypeStruct((blocks * 8,), x.dtype)
    return pl.pallas_call(kernel, grid=(n,), in_specs=[block, block], out_specs=block, out_shape=padded)(x, y)
