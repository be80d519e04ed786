"""Mistake: one program holds the whole matrix. Blocks are small, and the grid has a program for each."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def layer_norm(x, gain, bias):
    rows, features = x.shape
    height, width = pl.next_power_of_2(rows), pl.next_power_of_2(features)

    def kernel(x_ref, gain_ref, bias_ref, out_ref):
        mask = (jnp.arange(height) < rows)[:, None] & (jnp.arange(width) < features)[None, :]
        block = jnp.where(mask, x_ref[...], 0)
        deviations = jnp.where(mask, block - block.sum(axis=1, keepdims=True) / features, 0)
        factor = jax.lax.rsqrt((deviations**2).sum(axis=1, keepdims=True) / features + 1e-5)
        plgpu.store(out_ref.at[:, :], deviations * factor * gain_ref[:] + bias_ref[:], mask=mask)

    block, vector = pl.BlockSpec((height, width), lambda: (0, 0)), pl.BlockSpec((width,), lambda: (0,))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    specs = [block, vector, vector]
    return pl.pallas_call(kernel, in_specs=specs, out_specs=block, out_shape=shape)(x, gain, bias)
