"""Mistake: calls `.at[...].add(...)` and does not keep its result. JAX arrays never change; the call returns a new one."""

import jax.numpy as jnp


def segment_statistics(values, ids, segments):
    place = jnp.where(ids < 0, segments, ids)
    total = jnp.zeros((segments, values.shape[1]))
    total.at[place].add(values, mode="drop")
    count = jnp.zeros((segments, 1)).at[place].add(1.0, mode="drop")
    largest = jnp.full_like(total, -jnp.inf).at[place].max(values, mode="drop")
    return {"sum": total, "mean": total / jnp.maximum(count, 1), "max": jnp.where(count > 0, largest, 0)}
