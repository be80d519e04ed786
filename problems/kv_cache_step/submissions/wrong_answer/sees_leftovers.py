"""Mistake: attends to all slots of the cache; the slots after the position hold leftovers and must be masked."""

import jax
import jax.numpy as jnp


def kv_cache_step(x, weights, k_cache, v_cache, positions):
    query, key, value = (jnp.einsum("bm,mhd->bhd", x, weights[name]) for name in ("q", "k", "v"))
    sequence = jnp.arange(len(positions))
    slots = jnp.arange(k_cache.shape[1])
    k_cache = k_cache.at[sequence, positions].set(key)
    v_cache = v_cache.at[sequence, positions].set(value)
    scores = jnp.einsum("bhd,blhd->bhl", query, k_cache) / jnp.sqrt(query.shape[-1])
    attention = jax.nn.softmax(scores, axis=-1)
    return {"output": jnp.einsum("bhl,blhd->bhd", attention, v_cache), "k_cache": k_cache, "v_cache": v_cache}
