"""Mistake: computes mean and variance outside, and the kernel only applies them; all arithmetic belongs into the
kernel."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def layer_norm(x, gain, bias):
    rows, features = x.shape
    width = pl.next_power_of_2(features)
    mean = x.mean(axis=1)
    factor = 1 / jnp.sqrt(x.var(axis=1) + 1e-5)

    def kernel(x_ref, mean_ref, factor_ref, gain_ref, bias_ref, out_ref):
        mask = jnp.arange(width) < features
        row = (plgpu.load(x_ref.at[:], mask=mask, other=0.0) - mean_ref[0]) * factor_ref[0]
        plgpu.store(out_ref.at[:], row * gain_ref[:] + bias_ref[:], mask=mask)

    row = pl.BlockSpec((None, width), lambda i: (i, 0))
    number = pl.BlockSpec((1,), lambda i: (i,))
    vector = pl.BlockSpec((width,), lambda i: (0,))
    return pl.pallas_call(
        kernel,
        grid=(rows,),
        in_specs=[row, number, number, vector, vector],
        out_specs=row,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x, mean, factor, gain, bias)
