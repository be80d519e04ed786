"""The step of one sequence with dynamic_update_slice, mapped over the batch."""

import jax
import jax.numpy as jnp
from jax import lax


def kv_cache_step(x, weights, k_cache, v_cache, positions):
    def step(token, keys, values, position):
        q, k, v = (jnp.tensordot(token, weights[name], axes=1) for name in "qkv")
        keys = lax.dynamic_update_slice(keys, k[None], (position, 0, 0))
        values = lax.dynamic_update_slice(values, v[None], (position, 0, 0))
        scores = jnp.sum(keys * q, axis=-1) * q.shape[-1] ** -0.5
        scores = jnp.where(jnp.arange(len(keys))[:, None] > position, -1e30, scores)
        share = jnp.exp(scores - scores.max(axis=0))
        return {"output": jnp.sum(share[:, :, None] * values, axis=0) / share.sum(axis=0)[:, None], "k_cache": keys, "v_cache": values}

    return jax.vmap(step)(x, k_cache, v_cache, positions)
