"""Mistake: takes a for the Jacobian of the layer; the slopes of tanh, 1 - z ** 2, belong to it."""

import jax.numpy as jnp


def equilibrium_gradients(a, x, c):
    z = jnp.zeros_like(x)
    for _ in range(300):
        z = jnp.tanh(a @ z + x)
    slopes = 1 - z**2
    u = jnp.linalg.solve(jnp.eye(len(x)) - a.T, c)
    return {"z": z, "a": jnp.outer(slopes * u, z), "x": slopes * u}
