"""Scatters with indices beyond the end for padding; such updates are dropped."""

import jax.numpy as jnp


def segment_statistics(values, ids, segments):
    place = jnp.where(ids == -1, segments, ids)
    shape = (segments, values.shape[1])
    count = jnp.zeros((segments, 1)).at[place].add(1.0, mode="drop")
    total = jnp.zeros(shape).at[place].add(values, mode="drop")
    largest = jnp.full(shape, -jnp.inf).at[place].max(values, mode="drop")
    is_empty = count == 0
    return {
        "sum": total,
        "mean": total / jnp.where(is_empty, 1.0, count),
        "max": jnp.where(is_empty, 0.0, largest),
    }
