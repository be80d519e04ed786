"""A program for each block of keys writes its own state, and a second kernel merges the states of a query."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

B = 16


@jax.jit
def flash_attention(q, k, v):
    heads, queries, width = q.shape
    keys = k.shape[1]
    rows, parts = pl.cdiv(queries, B), pl.next_power_of_2(pl.cdiv(keys, B))
    q = jnp.pad(q, ((0, 0), (0, rows * B - queries), (0, 0)))
    k = jnp.pad(k, ((0, 0), (0, parts * B - keys), (0, 0)))
    v = jnp.pad(v, ((0, 0), (0, parts * B - keys), (0, 0)))

    def part_of_keys(q_ref, k_ref, v_ref, peak_ref, total_ref, sum_ref):
        is_key = pl.program_id(2) * B + jnp.arange(B) < keys
        scores = jnp.dot(q_ref[...], k_ref[...].T, precision="highest") / jnp.sqrt(jnp.float32(width))
        peak = jnp.max(jnp.where(is_key[None, :], scores, -1e30), axis=1)
        powers = jnp.where(is_key[None, :], jnp.exp(scores - peak[:, None]), 0.0)
        peak_ref[...] = peak
        total_ref[...] = powers.sum(axis=1)
        sum_ref[...] = jnp.dot(powers, v_ref[...], precision="highest")

    def merge(peak_ref, total_ref, sum_ref, out_ref):
        peaks = peak_ref[...]
        share = jnp.exp(peaks - jnp.max(peaks, axis=0)[None, :])
        total = jnp.sum(share * total_ref[...], axis=0)
        out_ref[...] = jnp.sum(share[:, :, None] * sum_ref[...], axis=0) / total[:, None]

    number = jax.ShapeDtypeStruct((heads, parts, rows * B), jnp.float32)
    vector = jax.ShapeDtypeStruct((heads, parts, rows * B, width), jnp.float32)
    of_keys = pl.BlockSpec((None, B, width), lambda h, i, j: (h, j, 0))
    state = pl.BlockSpec((None, None, B), lambda h, i, j: (h, j, i))
    states = pl.pallas_call(
        part_of_keys,
        grid=(heads, rows, parts),
        in_specs=[pl.BlockSpec((None, B, width), lambda h, i, j: (h, i, 0)), of_keys, of_keys],
        out_specs=[state, state, pl.BlockSpec((None, None, B, width), lambda h, i, j: (h, j, i, 0))],
        out_shape=[number, number, vector],
    )(q, k, v)
    of_query = pl.BlockSpec((None, parts, B), lambda h, i: (h, 0, i))
    out = pl.pallas_call(
        merge,
        grid=(heads, rows),
        in_specs=[of_query, of_query, pl.BlockSpec((None, parts, B, width), lambda h, i: (h, 0, i, 0))],
        out_specs=pl.BlockSpec((None, B, width), lambda h, i: (h, i, 0)),
        out_shape=jax.ShapeDtypeStruct(q.shape, jnp.float32),
    )(*states)
    return out[:, :queries]
