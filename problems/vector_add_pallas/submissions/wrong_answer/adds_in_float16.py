"""Mistake: adds in float16, which keeps three digits; the numbers are float32."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def vector_add(x, y):
    n = x.shape[0]
    blocks = pl.cdiv(n, 8)

    def kernel(x_ref, y_ref, out_ref):
        place = pl.program_id(0) * 8 + jnp.arange(8)
        out_ref[...] = jnp.where(place < n, x_ref[...].astype(jnp.float16) + y_ref[...].astype(jnp.float16), 0).astype(
            x.dtype
        )

    block = pl.BlockSpec((8,), lambda i: (i,))
    padded = jax.ShapeDtypeStruct((blocks * 8,), x.dtype)
    return pl.pallas_call(kernel, grid=(blocks,), in_specs=[block, block], out_specs=block, out_shape=padded)(x, y)
