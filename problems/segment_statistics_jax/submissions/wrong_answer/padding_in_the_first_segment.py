"""Mistake: sets padding to 0 and adds it to the first segment. The sum is right, but its count and its maximum are not."""

import jax
import jax.numpy as jnp


def segment_statistics(values, ids, segments):
    values = jnp.where(ids[:, None] < 0, 0.0, values)
    ids = jnp.maximum(ids, 0)
    count = jax.ops.segment_sum(jnp.ones_like(ids), ids, segments)[:, None]
    total = jax.ops.segment_sum(values, ids, segments)
    largest = jax.ops.segment_max(values, ids, segments)
    return {"sum": total, "mean": total / jnp.maximum(count, 1), "max": jnp.where(count > 0, largest, 0)}
