"""Mistake: adds the examples up; the loss is their mean."""

import jax
import jax.numpy as jnp


def hessian_vector_product(w, v, x, y, l2):
    def total(w):
        return jnp.sum((jnp.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)

    return jax.jvp(jax.grad(total), (w,), (v,))[1]
