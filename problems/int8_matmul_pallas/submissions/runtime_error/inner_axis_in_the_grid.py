"""Mistake: gives the inner axis programs of its own, which all add to the same block of the answer. A GPU runs programs at the same time, so each needs an output block of its own."""

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
        functools.partial(multiply_blocks, inner=inner),
        grid=(pl.cdiv(rows, BLOCK), pl.cdiv(columns, BLOCK), pl.cdiv(inner, BLOCK)),
        in_specs=[
            pl.BlockSpec((BLOCK, BLOCK), lambda i, j, k: (i, k)),
            pl.BlockSpec((BLOCK, BLOCK), lambda i, j, k: (k, j)),
            pl.BlockSpec((BLOCK,), lambda i, j, k: (i,)),
            pl.BlockSpec((BLOCK,), lambda i, j, k: (j,)),
        ],
        out_specs=pl.BlockSpec((BLOCK, BLOCK), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
    )(a, b, a_scale, b_scale)


def multiply_blocks(a_ref, b_ref, a_scale_ref, b_scale_ref, out_ref, *, inner):
    """a_ref, b_ref: (BLOCK, BLOCK), a_scale_ref and b_scale_ref: (BLOCK,), out_ref: (BLOCK, BLOCK)."""
    is_first, is_inner = pl.program_id(2) == 0, pl.program_id(2) * BLOCK + jnp.arange(BLOCK) < inner
    a = plgpu.load(a_ref, mask=is_inner[None, :], other=0)
    b = plgpu.load(b_ref, mask=is_inner[:, None], other=0)
    products = jnp.dot(a, b, preferred_element_type=jnp.int32).astype(jnp.float32)
    before = jnp.where(is_first, 0.0, out_ref[...])
    out_ref[...] = before + products * a_scale_ref[...][:, None] * b_scale_ref[...][None, :]
