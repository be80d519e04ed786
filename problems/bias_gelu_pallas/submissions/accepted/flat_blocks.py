"""The matrix as one long vector: each place finds its number of the bias by the remainder of its position."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

BLOCK = 64


@jax.jit
def bias_gelu(x, bias):
    flat = x.reshape(-1)

    def kernel(x_ref, bias_ref, out_ref):
        place = pl.program_id(0) * BLOCK + jnp.arange(BLOCK)
        mask = place < flat.size
        z = plgpu.load(x_ref.at[:], mask=mask, other=0) + plgpu.load(bias_ref.at[place % bias.size])
        gate = jnp.tanh((2 / jnp.pi) ** 0.5 * z * (1 + 0.044715 * z * z))
        plgpu.store(out_ref.at[:], z * (0.5 + 0.5 * gate), mask=mask)

    block = pl.BlockSpec((BLOCK,), lambda i: (i,))
    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(flat.size, BLOCK),),
        in_specs=[block, pl.BlockSpec(bias.shape, lambda i: (0,))],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(flat.shape, x.dtype),
    )(flat, bias).reshape(x.shape)
