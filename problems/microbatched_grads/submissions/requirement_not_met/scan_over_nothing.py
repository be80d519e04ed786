"""Mistake: adds the full-batch gradient up from n equal parts: the scan has the right length and no data to walk over."""

import jax
import jax.numpy as jnp
from jax import lax


def squared_error(w, x, y):
    return jnp.sum((w * x - y) ** 2)


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    n = int(n_microbatches)
    gradient = jax.grad(squared_error)(w, x_full, y_full)

    def step(total, _):
        return total + gradient / n, None

    total, _ = lax.scan(step, jnp.zeros_like(w), None, length=n)
    return total
