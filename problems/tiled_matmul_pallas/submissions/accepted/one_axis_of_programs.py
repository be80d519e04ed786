"""A grid with one axis: the index maps find the row and column of tiles by division."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def tiled_matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    across = (n + 15) // 16

    def kernel(a_ref, b_ref, out_ref):
        down, along = (lax.broadcasted_iota(jnp.int32, (16, 16), axis) for axis in (0, 1))
        i = pl.program_id(0) // across * 16 + down
        j = pl.program_id(0) % across * 16 + along

        def step(number, total):
            start = 16 * number
            x = plgpu.load(a_ref.at[:, pl.ds(start, 16)], mask=(i < m) & (start + along < k), other=0)
            y = plgpu.load(b_ref.at[pl.ds(start, 16), :], mask=(start + down < k) & (j < n), other=0)
            return total + plgpu.dot(x, y, allow_tf32=False)

        total = lax.fori_loop(0, (k + 15) // 16, step, jnp.zeros((16, 16), jnp.float32))
        plgpu.store(out_ref.at[:, :], total, mask=(i < m) & (j < n))

    return pl.pallas_call(
        kernel,
        grid=((m + 15) // 16 * across,),
        in_specs=[pl.BlockSpec((16, k), lambda p: (p // across, 0)), pl.BlockSpec((k, 16), lambda p: (0, p % across))],
        out_specs=pl.BlockSpec((16, 16), lambda p: (p // across, p % across)),
        out_shape=jax.ShapeDtypeStruct((m, n), a.dtype),
    )(a, b)
