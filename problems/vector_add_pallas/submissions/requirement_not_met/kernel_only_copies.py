"""Mistake: adds outside, and the kernel only copies the sums; the addition belongs into the kernel."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def vector_add(x, y):
    total = jnp.pad(x + y, (0, -len(x) % 8))

    def kernel(total_ref, out_ref):
        out_ref[...] = total_ref[...]

    block = pl.BlockSpec((8,), lambda i: (i,))
    result = jax.ShapeDtypeStruct(total.shape, total.dtype)
    grid = (total.size // 8,)
    return pl.pallas_call(kernel, grid=grid, in_specs=[block], out_specs=block, out_shape=result)(total)
