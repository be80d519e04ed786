"""Mistake: transposes the whole matrix with JAX; a kernel must move the numbers."""

import jax


@jax.jit
def transpose(x):
    return x.T
