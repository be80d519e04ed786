"""Mistake: multiplies with the outer product of the gradient; the Hessian is the derivative of the gradient."""

import jax
import jax.numpy as jnp


def loss(w, x, y, l2):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    gradient, slope = jax.grad(loss)(w, x, y, l2), jax.jvp(lambda w: loss(w, x, y, l2), (w,), (v,))[1]
    return gradient * slope
