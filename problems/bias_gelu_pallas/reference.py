"""A grid of blocks; each column of blocks shares one block of the bias."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

ROWS, COLUMNS = 4, 16
SLOPE = (2 / jnp.pi) ** 0.5


@jax.jit
def bias_gelu(x, bias):
    """x: (R, D), bias: (D,); returns (R, D)."""
    rows, columns = x.shape

    def bias_gelu_of_block(x_ref, bias_ref, out_ref):
        is_row = pl.program_id(0) * ROWS + jnp.arange(ROWS) < rows
        is_column = pl.program_id(1) * COLUMNS + jnp.arange(COLUMNS) < columns
        exists = is_row[:, None] & is_column[None, :]
        block = plgpu.load(x_ref.at[:, :], mask=exists, other=0.0)
        z = block + plgpu.load(bias_ref.at[:], mask=is_column, other=0.0)
        switch = jnp.tanh(SLOPE * (z + 0.044715 * z * z * z))
        plgpu.store(out_ref.at[:, :], 0.5 * z * (1 + switch), mask=exists)

    block = pl.BlockSpec((ROWS, COLUMNS), lambda i, j: (i, j))
    return pl.pallas_call(
        bias_gelu_of_block,
        grid=(pl.cdiv(rows, ROWS), pl.cdiv(columns, COLUMNS)),
        in_specs=[block, pl.BlockSpec((COLUMNS,), lambda i, j: (j,))],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x, bias)
