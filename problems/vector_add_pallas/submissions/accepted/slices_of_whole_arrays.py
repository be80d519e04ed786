"""No block specifications for x and y: each program sees the whole vectors and takes its own slice."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def vector_add(x, y):
    n = len(x)
    size = -(-n // 8) * 8

    def kernel(x_ref, y_ref, out_ref):
        first = pl.program_id(0) * 8
        mine = pl.ds(first, 8)
        mask = jnp.arange(8) < n - first
        total = sum(plgpu.load(ref.at[mine], mask=mask, other=0) for ref in (x_ref, y_ref))
        out_ref[:] = total

    block = pl.BlockSpec((8,), lambda i: (i,))
    shape = jax.ShapeDtypeStruct((size,), x.dtype)
    return pl.pallas_call(kernel, grid=size // 8, out_specs=block, out_shape=shape)(x, y)
