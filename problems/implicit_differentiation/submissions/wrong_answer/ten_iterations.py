"""Mistake: stops both iterations after ten steps, long before they converge; iterate until nothing changes in float32."""

import jax.numpy as jnp


def equilibrium_gradients(a, x, c):
    z = jnp.zeros_like(x)
    for _ in range(10):
        z = jnp.tanh(a @ z + x)
    slopes = 1 - z**2
    u = c
    for _ in range(10):
        u = c + a.T @ (slopes * u)
    return {"z": z, "a": jnp.outer(slopes * u, z), "x": slopes * u}
