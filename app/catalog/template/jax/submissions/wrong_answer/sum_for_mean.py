"""Mistake: sums the squared errors over the examples where the problem asks for the mean."""

import jax
import jax.numpy as jnp


def ridge_gradient(w, x, y, strength):
    return jax.grad(lambda w: jnp.sum((x @ w - y) ** 2) + strength * jnp.sum(w**2))(w)
