"""Mistake: computes the weights outside of the kernel, which only multiplies them with the values. All arithmetic belongs into kernels."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK = 16


@jax.jit
def flash_attention(q, k, v):
    heads, queries, width = q.shape
    scores = jnp.einsum("htd,hsd->hts", q, k, precision="highest") / width**0.5
    weights = jax.nn.softmax(scores, axis=-1)
    keys = pl.next_power_of_2(max(k.shape[1], BLOCK))
    weights = jnp.pad(weights, ((0, 0), (0, -queries % BLOCK), (0, keys - k.shape[1])))
    v = jnp.pad(v, ((0, 0), (0, keys - v.shape[1]), (0, 0)))
    out = pl.pallas_call(
        mix,
        grid=(heads, weights.shape[1] // BLOCK),
        in_specs=[
            pl.BlockSpec((None, BLOCK, keys), lambda h, i: (h, i, 0)),
            pl.BlockSpec((None, keys, width), lambda h, i: (h, 0, 0)),
        ],
        out_specs=pl.BlockSpec((None, BLOCK, width), lambda h, i: (h, i, 0)),
        out_shape=jax.ShapeDtypeStruct((heads, weights.shape[1], width), jnp.float32),
    )(weights, v)
    return out[:, :queries]


def mix(weights_ref, v_ref, out_ref):
    """weights_ref: (BLOCK, S), v_ref: (S, D), out_ref: (BLOCK, D)."""
    out_ref[...] = jnp.dot(weights_ref[...], v_ref[...], precision="highest")
