"""Mistake: the unused parameter b is missing from the signature."""

import jax
import jax.numpy as jnp
from jax import lax


def microbatched_grads(w, x_full, y_full, n_microbatches):
    n = int(n_microbatches)

    def loss(w, x, y):
        return jnp.sum((w * x - y) ** 2)

    def step(total, chunk):
        return total + jax.grad(loss)(w, *chunk), None

    chunks = (x_full.reshape(n, -1), y_full.reshape(n, -1))
    return lax.scan(step, jnp.zeros(()), chunks)[0]
