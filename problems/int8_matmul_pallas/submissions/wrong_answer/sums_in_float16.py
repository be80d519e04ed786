"""Mistake: adds up in float16, which holds whole numbers up to 2,048 exactly and ends at 65,504. Sums need int32."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

BLOCK = 32


@jax.jit
def int8_matmul(a, b, a_scale, b_scale):
    """a: (M, K), b: (K, N), int8; a_scale: (M,), b_scale: (N,); returns (M, N), float32."""
    (rows, inner), columns = a.shape, b.shape[1]
    return pl.pallas_call(
        functools.partial(multiply_blocks, rows=rows, columns=columns),
        grid=(pl.cdiv(rows, BLOCK), pl.cdiv(columns, BLOCK)),
        in_specs=[
            pl.BlockSpec((BLOCK, inner), lambda i, j: (i, 0)),
            pl.BlockSpec((inner, BLOCK), lambda i, j: (0, j)),
            pl.BlockSpec((BLOCK,), lambda i, j: (i,)),
            pl.BlockSpec((BLOCK,), lambda i, j: (j,)),
        ],
        out_specs=pl.BlockSpec((BLOCK, BLOCK), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
    )(a, b, a_scale, b_scale)


def multiply_blocks(a_ref, b_ref, a_scale_ref, b_scale_ref, out_ref, *, rows, columns):
    """a_ref: (BLOCK, K), b_ref: (K, BLOCK), a_scale_ref and b_scale_ref: (BLOCK,), out_ref: (BLOCK, BLOCK)."""
    inner, numbers = a_ref.shape[1], jnp.arange(BLOCK)
    is_row = (pl.program_id(0) * BLOCK + numbers < rows)[:, None]
    is_column = (pl.program_id(1) * BLOCK + numbers < columns)[None, :]

    def add_products(step, total):
        part = pl.ds(step * BLOCK, BLOCK)
        is_inner = step * BLOCK + numbers < inner
        a = plgpu.load(a_ref.at[:, part], mask=is_row & is_inner[None, :], other=0)
        b = plgpu.load(b_ref.at[part, :], mask=is_inner[:, None] & is_column, other=0)
        return total + jnp.dot(a, b, preferred_element_type=jnp.int32).astype(jnp.float16)

    steps = pl.cdiv(inner, BLOCK)
    total = jax.lax.fori_loop(0, steps, add_products, jnp.zeros((BLOCK, BLOCK), jnp.float16))
    row_scale, column_scale = a_scale_ref[...][:, None], b_scale_ref[...][None, :]
    plgpu.store(out_ref, total.astype(jnp.float32) * row_scale * column_scale, mask=is_row & is_column)
