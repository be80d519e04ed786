"""Mistake: multiplies each row with one number of the gain and adds one of the bias; they belong to the features."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def layer_norm(x, gain, bias):
    rows, features = x.shape
    width = pl.next_power_of_2(features)

    def kernel(x_ref, gain_ref, bias_ref, out_ref):
        mask = jnp.arange(width) < features
        row = plgpu.load(x_ref.at[:], mask=mask, other=0.0)
        deviations = jnp.where(mask, row - row.sum() / features, 0.0)
        factor = jax.lax.rsqrt((deviations**2).sum() / features + 1e-5)
        plgpu.store(out_ref.at[:], deviations * factor * gain_ref[0] + bias_ref[0], mask=mask)

    row = pl.BlockSpec((None, width), lambda i: (i, 0))
    number = pl.BlockSpec((1,), lambda i: (i,))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid=(rows,), in_specs=[row, number, number], out_specs=row, out_shape=shape)(
        x, gain, bias
    )
