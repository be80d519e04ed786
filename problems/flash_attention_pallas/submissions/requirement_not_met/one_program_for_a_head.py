"""Mistake: answers all queries of a head in one program. Give each program one block, and let the grid have more programs."""

import functools
import math

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

BLOCK = 128


@jax.jit
def flash_attention(q, k, v):
    """q: (H, T, D), k and v: (H, S, D); returns (H, T, D)."""
    heads, queries, width = q.shape
    keys = k.shape[1]
    some_queries = pl.BlockSpec((None, BLOCK, width), lambda h, i: (h, i, 0))
    all_keys = pl.BlockSpec((None, keys, width), lambda h, i: (h, 0, 0))
    return pl.pallas_call(
        functools.partial(attend, queries=queries),
        grid=(heads, pl.cdiv(queries, BLOCK)),
        in_specs=[some_queries, all_keys, all_keys],
        out_specs=some_queries,
        out_shape=jax.ShapeDtypeStruct((heads, queries, width), jnp.float32),
    )(q, k, v)


def attend(q_ref, k_ref, v_ref, out_ref, *, queries):
    """q_ref and out_ref: (BLOCK, D); k_ref and v_ref: (S, D), all keys and values of the head."""
    keys, width = k_ref.shape
    is_query = (pl.program_id(1) * BLOCK + jnp.arange(BLOCK) < queries)[:, None]
    q = plgpu.load(q_ref, mask=is_query, other=0.0) / math.sqrt(width)

    def add_block(step, state):
        largest, total, weighted = state
        is_key = step * BLOCK + jnp.arange(BLOCK) < keys
        rows = pl.ds(step * BLOCK, BLOCK)
        k = plgpu.load(k_ref.at[rows, :], mask=is_key[:, None], other=0.0)
        v = plgpu.load(v_ref.at[rows, :], mask=is_key[:, None], other=0.0)
        scores = jnp.where(is_key[None, :], jnp.dot(q, k.T, precision="highest"), -jnp.inf)
        new_largest = jnp.maximum(largest, jnp.max(scores, axis=1))
        factors = jnp.exp(scores - new_largest[:, None])
        correction = jnp.exp(largest - new_largest)  # 0 in the first block, 1 if the maximum stays
        total = total * correction + jnp.sum(factors, axis=1)
        weighted = weighted * correction[:, None] + jnp.dot(factors, v, precision="highest")
        return new_largest, total, weighted

    nothing = jnp.full(BLOCK, -jnp.inf), jnp.zeros(BLOCK), jnp.zeros((BLOCK, width))
    steps = pl.cdiv(keys, BLOCK)
    _, total, weighted = jax.lax.fori_loop(0, steps, add_block, nothing)
    plgpu.store(out_ref, weighted / total[:, None], mask=is_query)
