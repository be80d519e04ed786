"""Mistake: adds the whole vectors with jax.numpy; the sums must come from a kernel."""

import jax
import jax.numpy as jnp


@jax.jit
def vector_add(x, y):
    return jnp.pad(x + y, (0, -len(x) % 8))
