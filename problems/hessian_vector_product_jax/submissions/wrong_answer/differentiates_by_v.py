"""Mistake: differentiates the product of gradient and v by v, which gives the gradient; differentiate it by w and keep v fixed."""

import jax
import jax.numpy as jnp


def loss(w, x, y, l2):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    return jax.grad(lambda v: jax.grad(loss)(w, x, y, l2) @ v)(v)
