"""Mistake: multiplies z with the gradient in the wrong order; row i of the gradient by a belongs to output i."""

import jax.numpy as jnp


def equilibrium_gradients(a, x, c):
    z = jnp.zeros_like(x)
    for _ in range(300):
        z = jnp.tanh(a @ z + x)
    slopes = 1 - z**2
    u = jnp.linalg.solve(jnp.eye(len(x)) - a.T * slopes, c)
    return {"z": z, "a": jnp.outer(z, slopes * u), "x": slopes * u}
