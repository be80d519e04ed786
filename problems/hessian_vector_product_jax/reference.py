"""The Hessian times a vector: forward mode through the gradient."""

import jax
import jax.numpy as jnp


def loss(w, x, y, l2):
    """w: (D,), x: (N, D), y: (N,), l2: a number → ()."""
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    """w: (D,), v: (D,), x: (N, D), y: (N,) → (D,)."""
    gradient = jax.grad(lambda w: loss(w, x, y, l2))
    _, derivative = jax.jvp(gradient, (w,), (v,))  # of the gradient, at w, in the direction v
    return derivative
