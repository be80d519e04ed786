"""Mistake: does not use the result of .at[].set, so the caches stay as they were; an update returns a new array."""

import jax
import jax.numpy as jnp


def kv_cache_step(x, weights, k_cache, v_cache, positions):
    query, key, value = (jnp.einsum("bm,mhd->bhd", x, weights[name]) for name in ("q", "k", "v"))
    sequence = jnp.arange(len(positions))
    slots = jnp.arange(k_cache.shape[1])
    k_cache.at[sequence, positions].set(key)
    v_cache.at[sequence, positions].set(value)
    scores = jnp.einsum("bhd,blhd->bhl", query, k_cache) / jnp.sqrt(query.shape[-1])
    is_filled = (slots <= positions[:, None])[:, None]
    attention = jax.nn.softmax(jnp.where(is_filled, scores, -jnp.inf), axis=-1)
    return {"output": jnp.einsum("bhl,blhd->bhd", attention, v_cache), "k_cache": k_cache, "v_cache": v_cache}
