"""Reverse mode through 400 iterations."""

import jax
import jax.numpy as jnp


def equilibrium_gradients(a, x, c):
    def loss(a, x):
        z, _ = jax.lax.scan(lambda z, _: (jnp.tanh(a @ z + x), None), jnp.zeros_like(x), length=400)
        return c @ z, z

    (_, z), (grad_a, grad_x) = jax.value_and_grad(loss, argnums=(0, 1), has_aux=True)(a, x)
    return {"z": z, "a": grad_a, "x": grad_x}
