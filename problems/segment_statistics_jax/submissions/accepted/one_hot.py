"""Compares all ids with all segments: a table of truth values in place of a scatter."""

import jax.numpy as jnp


def segment_statistics(values, ids, segments):
    belongs = ids[None, :] == jnp.arange(segments)[:, None]  # (S, N)
    count = belongs.sum(axis=1)[:, None]
    masked = jnp.where(belongs[:, :, None], values[None], 0.0)
    total = masked.sum(axis=1)
    largest = jnp.where(belongs[:, :, None], values[None], -jnp.inf).max(axis=1)
    has_rows = count > 0
    return {"sum": total, "mean": total / jnp.where(has_rows, count, 1), "max": jnp.where(has_rows, largest, 0.0)}
