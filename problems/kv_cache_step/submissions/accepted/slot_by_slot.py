"""Reads the slots one after the other, and rescales what it has summed whenever a larger score comes."""

import jax
import jax.numpy as jnp


def kv_cache_step(x, weights, k_cache, v_cache, positions):
    query, key, value = (jnp.tensordot(x, weights[name], 1) for name in "qkv")
    new = (jnp.arange(k_cache.shape[1]) == positions[:, None])[..., None, None]
    keys = jnp.where(new, key[:, None], k_cache)
    values = jnp.where(new, value[:, None], v_cache)

    def read(state, slot):
        top, total, output = state
        place, k, v = slot
        score = jnp.sum(query * k, axis=-1, keepdims=True) / query.shape[-1] ** 0.5
        score = jnp.where(place <= positions[:, None, None], score, -jnp.inf)
        higher = jnp.maximum(top, score)
        old, weight = jnp.exp(top - higher), jnp.exp(score - higher)
        return (higher, old * total + weight, old * output + weight * v), None

    # Slot 0 is always filled, so the largest score is finite after the first step.
    empty = jnp.full_like(query[..., :1], -jnp.inf), jnp.zeros_like(query[..., :1]), jnp.zeros_like(query)
    slots = jnp.arange(k_cache.shape[1]), keys.swapaxes(0, 1), values.swapaxes(0, 1)
    (_, total, output), _ = jax.lax.scan(read, empty, slots)
    return {"output": output / total, "k_cache": keys, "v_cache": values}
