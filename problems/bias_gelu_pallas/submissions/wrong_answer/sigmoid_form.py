"""Mistake: uses the rougher formula with a sigmoid of 1.702 z; this exercise asks for the one with tanh."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def bias_gelu(x, bias):
    def kernel(x_ref, bias_ref, out_ref):
        z = x_ref[...] + bias_ref[...]
        u = 1.702 * z
        row, column = pl.program_id(0) * 4 + jnp.arange(4), pl.program_id(1) * 16 + jnp.arange(16)
        exists = (row < x.shape[0])[:, None] & (column < x.shape[1])[None, :]
        plgpu.store(out_ref.at[:, :], z / (1 + jnp.exp(-u)), mask=exists)

    block = pl.BlockSpec((4, 16), lambda i, j: (i, j))
    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(x.shape[0], 4), pl.cdiv(x.shape[1], 16)),
        in_specs=[block, pl.BlockSpec((16,), lambda i, j: (j,))],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x, bias)
