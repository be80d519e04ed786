"""Mistake: every step searches all N examples for those of its micro-batch: n times the work."""

import jax
import jax.numpy as jnp
from jax import lax


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    n = int(n_microbatches)
    size = x_full.shape[0] // n
    microbatch_of = jnp.arange(x_full.shape[0]) // size

    def loss(w, x, y):
        return jnp.sum((w * x - y) ** 2)

    def step(total, index):
        (rows,) = jnp.nonzero(microbatch_of == index, size=size)
        return total + jax.grad(loss)(w, x_full[rows], y_full[rows]), None

    return lax.scan(step, jnp.zeros(()), jnp.arange(n))[0]
