"""One product for each tile: the pieces hold the whole shared axis, up to the next power of two."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def tiled_matmul(a, b):
    m, k = a.shape
    n = b.shape[1]
    depth = max(16, pl.next_power_of_2(k))

    def kernel(a_ref, b_ref, out_ref):
        exists = jnp.arange(depth) < k
        left = jnp.where(exists[None, :], a_ref[...], 0)
        right = jnp.where(exists[:, None], b_ref[...], 0)
        row = 16 * pl.program_id(0) + jnp.arange(16)[:, None]
        column = 16 * pl.program_id(1) + jnp.arange(16)[None, :]
        product = jnp.matmul(left, right, precision="highest")
        plgpu.store(out_ref.at[:, :], product, mask=(row < m) & (column < n))

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(m, 16), pl.cdiv(n, 16)),
        in_specs=[pl.BlockSpec((16, depth), lambda i, j: (i, 0)), pl.BlockSpec((depth, 16), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((16, 16), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
    )(a, b)
