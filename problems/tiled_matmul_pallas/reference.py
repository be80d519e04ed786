"""One program for each tile of the product; it walks along the shared axis and adds up in float32."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

TILE = 16


@jax.jit
def tiled_matmul(a, b):
    """a: (M, K), b: (K, N); returns (M, N)."""
    rows, inner = a.shape
    columns = b.shape[1]

    def multiply_tile(a_ref, b_ref, out_ref):
        is_row = pl.program_id(0) * TILE + jnp.arange(TILE) < rows
        is_column = pl.program_id(1) * TILE + jnp.arange(TILE) < columns

        def add_piece(step, total):
            piece = pl.ds(step * TILE, TILE)
            is_inner = step * TILE + jnp.arange(TILE) < inner
            left = plgpu.load(a_ref.at[:, piece], mask=is_row[:, None] & is_inner[None, :], other=0.0)
            right = plgpu.load(b_ref.at[piece, :], mask=is_inner[:, None] & is_column[None, :], other=0.0)
            return total + jnp.dot(left, right, precision="highest")

        zeros = jnp.zeros((TILE, TILE), jnp.float32)
        total = jax.lax.fori_loop(0, pl.cdiv(inner, TILE), add_piece, zeros)
        plgpu.store(out_ref.at[:, :], total, mask=is_row[:, None] & is_column[None, :])

    return pl.pallas_call(
        multiply_tile,
        grid=(pl.cdiv(rows, TILE), pl.cdiv(columns, TILE)),
        in_specs=[pl.BlockSpec((TILE, inner), lambda i, j: (i, 0)), pl.BlockSpec((inner, TILE), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((TILE, TILE), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
    )(a, b)
