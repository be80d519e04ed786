"""Mistake: divides each sum by the number of all rows. Each segment has its own number of rows."""

import jax
import jax.numpy as jnp


def segment_statistics(values, ids, segments):
    ids = jnp.where(ids < 0, segments, ids)
    total = jax.ops.segment_sum(values, ids, segments + 1)[:segments]
    largest = jax.ops.segment_max(values, ids, segments + 1)[:segments]
    return {"sum": total, "mean": total / len(values), "max": jnp.where(jnp.isneginf(largest), 0, largest)}
