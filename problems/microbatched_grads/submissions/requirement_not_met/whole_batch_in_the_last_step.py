"""Mistake: each step only keeps its micro-batch, and the last one computes the gradient of all that was kept."""

import jax
import jax.numpy as jnp
from jax import lax


def squared_error(w, x, y):
    return jnp.sum((w * x - y) ** 2)


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    n = int(n_microbatches)
    size = x_full.shape[0] // n

    def step(carry, microbatch):
        k, x_kept, y_kept, total = carry
        x, y = microbatch
        x_kept = lax.dynamic_update_slice(x_kept, x * 1.0, (k * size,))
        y_kept = lax.dynamic_update_slice(y_kept, y * 1.0, (k * size,))
        total = lax.cond(k == n - 1, lambda: jax.grad(squared_error)(w, x_kept, y_kept), lambda: total)
        return (k + 1, x_kept, y_kept, total), None

    start = (0, jnp.zeros_like(x_full), jnp.zeros_like(y_full), jnp.zeros_like(w))
    (_, _, _, total), _ = lax.scan(step, start, (x_full.reshape(n, -1), y_full.reshape(n, -1)))
    return total
