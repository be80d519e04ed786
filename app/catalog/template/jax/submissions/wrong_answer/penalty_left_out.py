"""Mistake: leaves the penalty on the weights out."""

import jax
import jax.numpy as jnp


def ridge_gradient(w, x, y, strength):
    return jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
