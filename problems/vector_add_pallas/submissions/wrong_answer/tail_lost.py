"""Mistake: rounds the number of programs down, so no program adds the numbers of the last block."""

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
    return pl.pallas_call(kernel, grid=(n // 8,), in_specs=[block, block], out_specs=block, out_shape=padded)(x, y)
