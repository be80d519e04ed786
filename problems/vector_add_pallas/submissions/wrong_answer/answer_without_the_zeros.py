"""Mistake: returns N numbers; the answer goes on with zeros up to the next multiple of 8."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def vector_add(x, y):
    def kernel(x_ref, y_ref, out_ref):
        exists = pl.program_id(0) * 8 + jnp.arange(8) < len(x)
        plgpu.store(out_ref.at[:], x_ref[...] + y_ref[...], mask=exists)

    block = pl.BlockSpec((8,), lambda i: (i,))
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    grid = (pl.cdiv(len(x), 8),)
    return pl.pallas_call(kernel, grid=grid, in_specs=[block, block], out_specs=block, out_shape=result)(x, y)
