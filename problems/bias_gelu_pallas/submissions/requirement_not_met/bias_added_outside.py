"""Mistake: adds the bias outside, which is a second pass through memory; the kernel must do both."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def bias_gelu(x, bias):
    def kernel(z_ref, out_ref):
        z = z_ref[...]
        row, column = pl.program_id(0) * 4 + jnp.arange(4), pl.program_id(1) * 16 + jnp.arange(16)
        exists = (row < x.shape[0])[:, None] & (column < x.shape[1])[None, :]
        plgpu.store(out_ref.at[:, :], 0.5 * z * (1 + jnp.tanh((2 / jnp.pi) ** 0.5 * (z + 0.044715 * z**3))), mask=exists)

    block = pl.BlockSpec((4, 16), lambda i, j: (i, j))
    grid = (pl.cdiv(x.shape[0], 4), pl.cdiv(x.shape[1], 16))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid=grid, in_specs=[block], out_specs=block, out_shape=shape)(x + bias)
