"""Mistake: holds the old z constant and differentiates one step, which misses the paths through the loop; solve u = c + J.T u."""

import jax.numpy as jnp


def equilibrium_gradients(a, x, c):
    z = jnp.zeros_like(x)
    for _ in range(300):
        z = jnp.tanh(a @ z + x)
    slopes = 1 - z**2
    u = c
    return {"z": z, "a": jnp.outer(slopes * u, z), "x": slopes * u}
