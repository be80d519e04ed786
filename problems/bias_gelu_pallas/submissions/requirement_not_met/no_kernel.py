"""Mistake: calls the library on the whole matrix; a kernel must compute it."""

import jax


@jax.jit
def bias_gelu(x, bias):
    return jax.nn.gelu(x + bias, approximate=True)
