"""Mistake: one full-batch gradient, and a scan over the micro-batches whose sum is made too small to matter."""

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
    return (1 - 1e-6) * jax.grad(squared_error)(w, x_full, y_full) + 1e-6 * scanned
