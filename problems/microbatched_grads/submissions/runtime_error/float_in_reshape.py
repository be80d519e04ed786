"""Mistake: passes the float n_microbatches to reshape, which wants an int: TypeError."""

import jax
import jax.numpy as jnp
from jax import lax


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    x_micro = x_full.reshape(n_microbatches, -1)
    y_micro = y_full.reshape(n_microbatches, -1)

    def loss(w, x, y):
        return jnp.sum((w * x - y) ** 2)

    def step(total, chunk):
        return total + jax.grad(loss)(w, *chunk), None

    return lax.scan(step, jnp.zeros(()), (x_micro, y_micro))[0]
