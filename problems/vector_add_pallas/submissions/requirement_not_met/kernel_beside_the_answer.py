"""Mistake: runs a kernel and returns sums that were computed without it; the answer must be what the kernel
writes."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def vector_add(x, y):
    size = -(-len(x) // 8) * 8

    def kernel(x_ref, y_ref, out_ref):
        out_ref[...] = x_ref[...] + y_ref[...]

    block = pl.BlockSpec((8,), lambda i: (i,))
    result = jax.ShapeDtypeStruct((size,), x.dtype)
    sums = pl.pallas_call(kernel, grid=(size // 8,), in_specs=[block, block], out_specs=block, out_shape=result)(x, y)
    return jnp.where(jnp.isfinite(sums), 0 * sums, 0) + jnp.pad(x + y, (0, size - len(x)))
