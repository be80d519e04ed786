"""Mistake: reads the first row of tiles in every program; the index map for reading needs both numbers."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def transpose(x):
    m, n = x.shape

    def kernel(x_ref, out_ref):
        row, column = pl.program_id(1) * 4 + jnp.arange(4), pl.program_id(0) * 4 + jnp.arange(4)
        exists = (row < n)[:, None] & (column < m)[None, :]
        plgpu.store(out_ref.at[:, :], x_ref[...].T, mask=exists)

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(m, 4), pl.cdiv(n, 4)),
        in_specs=[pl.BlockSpec((4, 4), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((4, 4), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct((n, m), x.dtype),
    )(x)
