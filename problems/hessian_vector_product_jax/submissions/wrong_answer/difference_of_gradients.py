"""Mistake: divides a difference of two gradients by a step, which leaves two or three digits in float32; differentiate the gradient exactly."""

import jax
import jax.numpy as jnp


def loss(w, x, y, l2):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    h = 1e-2
    gradient = jax.grad(loss)
    return (gradient(w + h * v, x, y, l2) - gradient(w, x, y, l2)) / h
