"""Mistake: adds the bias before the multiplication with the gain; the gain comes first."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def layer_norm(x, gain, bias):
    rows, features = x.shape
    width = pl.next_power_of_2(features)

    def kernel(x_ref, gain_ref, bias_ref, out_ref):
        row = pl.program_id(0) * 4 + jnp.arange(4)
        column = jnp.arange(width)
        mask = (row < rows)[:, None] & (column < features)[None, :]
        block = plgpu.load(x_ref.at[:, :], mask=mask, other=0.0)
        mean = block.sum(axis=1, keepdims=True) / features
        deviations = jnp.where(mask, block - mean, 0.0)
        variance = (deviations**2).sum(axis=1, keepdims=True) / features
        normalised = deviations / jnp.sqrt(variance + 1e-5)
        plgpu.store(out_ref.at[:, :], (normalised + bias_ref[:]) * gain_ref[:], mask=mask)

    block = pl.BlockSpec((4, width), lambda i: (i, 0))
    vector = pl.BlockSpec((width,), lambda i: (0,))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(
        kernel, grid=(pl.cdiv(rows, 4),), in_specs=[block, vector, vector], out_specs=block, out_shape=shape
    )(x, gain, bias)
