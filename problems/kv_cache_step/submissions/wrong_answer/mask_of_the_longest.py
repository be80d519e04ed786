"""Mistake: masks all sequences by the largest position; each sequence sees the slots up to its own position."""

import jax
import jax.numpy as jnp


def kv_cache_step(x, weights, k_cache, v_cache, positions):
    q = jnp.einsum("bm,mhd->bhd", x, weights["q"])
    k = jnp.einsum("bm,mhd->bhd", x, weights["k"])
    v = jnp.einsum("bm,mhd->bhd", x, weights["v"])
    rows = jnp.arange(len(x))
    k_cache = k_cache.at[rows, positions].set(k)
    v_cache = v_cache.at[rows, positions].set(v)
    scores = jnp.einsum("bhd,blhd->bhl", q, k_cache) / q.shape[-1] ** 0.5
    mask = jnp.arange(k_cache.shape[1]) <= positions.max()
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)
    return {"output": jnp.einsum("bhl,blhd->bhd", weights, v_cache), "k_cache": k_cache, "v_cache": v_cache}
