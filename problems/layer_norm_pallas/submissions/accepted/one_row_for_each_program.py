"""One row for each program; whole blocks are read, and the missing places chosen away."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def layer_norm(x, gain, bias):
    features = x.shape[1]
    width = pl.next_power_of_2(features)

    def kernel(x_ref, gain_ref, bias_ref, out_ref):
        mask = jax.lax.iota(jnp.int32, width) < features
        row = x_ref[:]
        mean = jnp.where(mask, row, 0).sum() / features
        centred = jnp.where(mask, row - mean, 0)
        root = jnp.sqrt((centred**2).sum() / features + 1e-5)
        plgpu.store(out_ref.at[:], centred / root * gain_ref[:] + bias_ref[:], mask=mask)

    row = pl.BlockSpec((None, width), lambda i: (i, 0))
    whole = pl.BlockSpec((width,), lambda i: (0,))
    out_shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid=(x.shape[0],), in_specs=[row, whole, whole], out_specs=row, out_shape=out_shape)(
        x, gain, bias
    )
