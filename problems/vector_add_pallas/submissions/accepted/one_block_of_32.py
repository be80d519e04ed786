"""Larger blocks do as well: what lies beyond the answer is not written."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

BLOCK = 32


@jax.jit
def vector_add(x, y):
    n = x.size
    size = pl.cdiv(n, 8) * 8

    def kernel(x_ref, y_ref, out_ref):
        place = pl.program_id(0) * BLOCK + jax.lax.iota(jnp.int32, BLOCK)
        total = jnp.where(place < n, x_ref[:] + y_ref[:], jnp.zeros(BLOCK))
        plgpu.store(out_ref.at[:], total, mask=place < size)

    block = pl.BlockSpec((BLOCK,), lambda i: (i,))
    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(n, BLOCK),),
        in_specs=[block] * 2,
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct((size,), x.dtype),
    )(x, y)
