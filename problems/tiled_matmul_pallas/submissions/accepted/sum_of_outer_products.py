"""Adds the outer product of a column of a and a row of b in each step, so nothing lies beyond the end."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def tiled_matmul(a, b):
    m, k = a.shape
    n = b.shape[1]

    def kernel(a_ref, b_ref, out_ref):
        down = 8 * pl.program_id(0) + jnp.arange(8) < m
        across = 32 * pl.program_id(1) + jnp.arange(32) < n

        def add(step, total):
            column = plgpu.load(a_ref.at[:, step], mask=down, other=0.0)
            row = plgpu.load(b_ref.at[step, :], mask=across, other=0.0)
            return total + column[:, None] * row[None, :]

        total = jax.lax.fori_loop(0, k, add, jnp.zeros((8, 32), jnp.float32))
        plgpu.store(out_ref.at[:, :], total, mask=down[:, None] & across[None, :])

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(m, 8), pl.cdiv(n, 32)),
        in_specs=[pl.BlockSpec((8, k), lambda i, j: (i, 0)), pl.BlockSpec((k, 32), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((8, 32), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
    )(a, b)
