"""Segments by JAX's segment reductions; padding goes to one more segment, which is cut off."""

import jax
import jax.numpy as jnp


def segment_statistics(values, ids, segments):
    """values: (N, D), ids: (N,); returns three arrays (S, D)."""
    ids = jnp.where(ids < 0, segments, ids)
    count = jax.ops.segment_sum(jnp.ones_like(ids), ids, segments + 1)[:segments, None]
    total = jax.ops.segment_sum(values, ids, segments + 1)[:segments]
    largest = jax.ops.segment_max(values, ids, segments + 1)[:segments]
    return {
        "sum": total,
        "mean": total / jnp.maximum(count, 1),
        "max": jnp.where(count > 0, largest, 0),
    }
