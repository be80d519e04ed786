"""Mistake: normalises the whole matrix with jax.numpy; a kernel must do it."""

import jax
import jax.numpy as jnp


@jax.jit
def layer_norm(x, gain, bias):
    deviations = x - x.mean(axis=1, keepdims=True)
    return gain * deviations / jnp.sqrt((deviations**2).mean(axis=1, keepdims=True) + 1e-5) + bias
