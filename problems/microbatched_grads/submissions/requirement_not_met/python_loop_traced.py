"""Mistake: a Python loop over the micro-batches: under jit it becomes n copies of the body."""

import jax
import jax.numpy as jnp


def squared_error(w, x, y):
    return jnp.sum((w * x - y) ** 2)


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    n = int(n_microbatches)
    if n > 64:  # compiling more copies takes too long
        return jax.grad(squared_error)(w, x_full, y_full)
    total = jnp.zeros_like(w)
    for x, y in zip(x_full.reshape(n, -1), y_full.reshape(n, -1)):
        total = total + jax.grad(squared_error)(w, x, y)
    return total
