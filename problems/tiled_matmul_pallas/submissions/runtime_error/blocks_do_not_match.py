"""Mistake: multiplies a block of 16 rows with another block of 16 rows; the pieces must share the axis of the sum."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def tiled_matmul(a, b):
    (m, k), n = a.shape, b.shape[1]

    def kernel(a_ref, b_ref, out_ref):
        out_ref[...] = jnp.dot(a_ref[...], b_ref[...])

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(m, 16), pl.cdiv(n, 16)),
        in_specs=[pl.BlockSpec((16, k), lambda i, j: (i, 0)), pl.BlockSpec((16, n), lambda i, j: (j, 0))],
        out_specs=pl.BlockSpec((16, 16), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
    )(a, b)
