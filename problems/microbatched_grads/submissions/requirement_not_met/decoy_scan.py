"""Mistake: a scan of the right length runs, and nothing of it reaches the answer, which is one full-batch gradient."""

import jax
import jax.numpy as jnp
from jax import lax


def squared_error(w, x, y):
    return jnp.sum((w * x - y) ** 2)


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    n = int(n_microbatches)

    def step(total, microbatch):
        x, y = microbatch
        return total + jax.grad(squared_error)(w, x, y), None

    scanned, _ = lax.scan(step, jnp.zeros_like(w), (x_full.reshape(n, -1), y_full.reshape(n, -1)))
    return jax.grad(squared_error)(w, x_full, y_full) + 0 * scanned
