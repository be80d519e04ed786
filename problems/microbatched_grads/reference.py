"""Reference: gradient of a summed squared error, one micro-batch at a time."""

import jax
import jax.numpy as jnp
from jax import lax


def squared_error(w, x, y):
    """Sum of squared residuals of the model w * x. w: (), x and y: (size,) -> ()"""
    return jnp.sum((w * x - y) ** 2)


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    """w, b: (), x_full and y_full: (N,), n_microbatches: float that divides N -> ()"""
    n = int(n_microbatches)
    x_micro = x_full.reshape(n, -1)  # (n, N // n): scan walks over the first axis
    y_micro = y_full.reshape(n, -1)  # (n, N // n)
    grad_by_w = jax.grad(squared_error)

    def add_one_microbatch(total, microbatch):
        x, y = microbatch  # (N // n,) each
        return total + grad_by_w(w, x, y), None

    start = jnp.zeros_like(w)  # the gradient has the shape and dtype of w
    total, _ = lax.scan(add_one_microbatch, start, (x_micro, y_micro))
    return total
