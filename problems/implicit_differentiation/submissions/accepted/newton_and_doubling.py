"""Finds the equilibrium by Newton's method, and the adjoint by doubling: (I + Jᵀ)(I + Jᵀ²)(I + Jᵀ⁴)… c."""

import jax
import jax.numpy as jnp


def equilibrium_gradients(a, x, c):
    one = jnp.eye(len(x))

    def newton(_, z):
        t = jnp.tanh(a @ z + x)
        return z - jnp.linalg.solve(one - (1 - t * t)[:, None] * a, z - t)

    z = jax.lax.fori_loop(0, 100, lambda _, z: jnp.tanh(a @ z + x), jnp.zeros_like(x))
    z = jax.lax.fori_loop(0, 4, newton, z)
    slopes = 1 - z * z
    power, u = a.T * slopes, c
    for _ in range(10):
        u, power = u + power @ u, power @ power
    gradient = slopes * u
    return {"z": z, "a": jnp.outer(gradient, z), "x": gradient}
