"""Mistake: what the last block reads beyond the end reaches the answer. Those places hold no zeros, and NaN times 0
is still NaN: choose a value for them."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def vector_add(x, y):
    blocks = -(-len(x) // 8)

    def kernel(x_ref, y_ref, out_ref):
        place = pl.program_id(0) * 8 + jnp.arange(8)
        factor = jnp.where(place < len(x), 1.0, 0.0)
        out_ref[...] = factor * x_ref[...] + factor * y_ref[...]

    spec = pl.BlockSpec((8,), lambda i: (i,))
    padded = jax.ShapeDtypeStruct((blocks * 8,), x.dtype)
    return pl.pallas_call(kernel, grid=(blocks,), in_specs=[spec, spec], out_specs=spec, out_shape=padded)(x, y)
