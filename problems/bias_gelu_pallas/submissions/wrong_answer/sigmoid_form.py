"""Mistake: uses the rougher formula with a sigmoid of 1.702 z; this exercise asks for the one with tanh."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def bias_gelu(x, bias):
    def kernel(x_ref, bias_ref, out_ref):
        z = x_ref[...] + bias_ref[...]
        u = 1.702 * z
        out_ref[...] = z / (1 + jnp.exp(-u))

    block = pl.BlockSpec((4, 16), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(x.shape[0], 4), pl.cdiv(x.shape[1], 16)),
        in_specs=[block, pl.BlockSpec((16,), lambda i, j: (j,))],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x, bias)
