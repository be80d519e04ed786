"""Mistake: gives one block specification for three arrays; each array needs its own."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def layer_norm(x, gain, bias):
    def kernel(x_ref, gain_ref, bias_ref, out_ref):
        block = x_ref[...]
        deviations = block - block.mean(axis=1, keepdims=True)
        factor = jax.lax.rsqrt((deviations**2).mean(axis=1, keepdims=True) + 1e-5)
        out_ref[...] = deviations * factor * gain_ref[...] + bias_ref[...]

    block = pl.BlockSpec((1, x.shape[1]), lambda i: (i, 0))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid=(len(x),), in_specs=[block], out_specs=block, out_shape=shape)(x, gain, bias)
