"""Mistake: leaves the penalty out; its Hessian is l2 times the identity."""

import jax
import jax.numpy as jnp


def loss(w, x, y, l2):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    return jax.jvp(jax.grad(lambda w: loss(w, x, y, 0.0)), (w,), (v,))[1]
