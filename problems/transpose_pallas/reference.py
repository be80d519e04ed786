"""Program (i, j) turns tile (i, j) of the matrix, which is tile (j, i) of the answer."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

TILE = 4


@jax.jit
def transpose(x):
    """x: (M, N); returns (N, M)."""
    rows, columns = x.shape

    def turn_tile(x_ref, out_ref):
        is_row = pl.program_id(0) * TILE + jnp.arange(TILE) < rows
        is_column = pl.program_id(1) * TILE + jnp.arange(TILE) < columns
        tile = plgpu.load(x_ref.at[:, :], mask=is_row[:, None] & is_column[None, :], other=0.0)
        plgpu.store(out_ref.at[:, :], tile.T, mask=is_column[:, None] & is_row[None, :])

    return pl.pallas_call(
        turn_tile,
        grid=(pl.cdiv(rows, TILE), pl.cdiv(columns, TILE)),
        in_specs=[pl.BlockSpec((TILE, TILE), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((TILE, TILE), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct((columns, rows), x.dtype),
    )(x)
