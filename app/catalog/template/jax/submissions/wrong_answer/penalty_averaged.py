"""Mistake: averages the penalty over the weights where the problem asks for the sum."""

import jax
import jax.numpy as jnp


def ridge_gradient(w, x, y, strength):
    return jax.grad(lambda w: jnp.mean((x @ w - y) ** 2) + strength * jnp.mean(w**2))(w)
