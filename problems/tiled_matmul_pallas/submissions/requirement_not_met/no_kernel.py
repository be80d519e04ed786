"""Mistake: multiplies the whole matrices with jax.numpy; a kernel must do it."""

import jax
import jax.numpy as jnp


@jax.jit
def tiled_matmul(a, b):
    return jnp.dot(a, b)
