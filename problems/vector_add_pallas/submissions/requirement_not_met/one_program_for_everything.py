"""Mistake: one program adds the whole vectors as a single block. Blocks are small, and the grid has a program for
each."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def vector_add(x, y):
    n = x.size
    width = 4 * pl.next_power_of_2(n)

    def kernel(x_ref, y_ref, out_ref):
        total = jnp.where(jnp.arange(width) < n, x_ref[...] + y_ref[...], 0)
        plgpu.store(out_ref.at[:], total, mask=jnp.arange(width) < -(-n // 8) * 8)

    block = pl.BlockSpec((width,), lambda: (0,))
    shape = jax.ShapeDtypeStruct((-(-n // 8) * 8,), x.dtype)
    return pl.pallas_call(kernel, in_specs=[block, block], out_specs=block, out_shape=shape)(x, y)
