"""One step of decoding with a cache of fixed size, for sequences at different positions."""

import jax
import jax.numpy as jnp


def kv_cache_step(x, weights, k_cache, v_cache, positions):
    """x: (B, M), weights: (M, H, D) each, caches: (B, L, H, D), positions: (B,) → output (B, H, D) and new caches."""
    query, key, value = (jnp.einsum("bm,mhd->bhd", x, weights[name]) for name in ("q", "k", "v"))
    sequence = jnp.arange(len(positions))
    k_cache = k_cache.at[sequence, positions].set(key)
    v_cache = v_cache.at[sequence, positions].set(value)
    scores = jnp.einsum("bhd,blhd->bhl", query, k_cache) / jnp.sqrt(query.shape[-1])
    is_filled = jnp.arange(k_cache.shape[1]) <= positions[:, None]  # (B, L)
    attention = jax.nn.softmax(jnp.where(is_filled[:, None], scores, -jnp.inf), axis=-1)
    return {"output": jnp.einsum("bhl,blhd->bhd", attention, v_cache), "k_cache": k_cache, "v_cache": v_cache}
