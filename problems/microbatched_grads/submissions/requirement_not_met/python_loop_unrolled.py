"""Breaks the rule: right value, but a Python loop calls one compiled gradient per micro-batch."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def add_gradient(total, w, x, y):
    return total + jax.grad(lambda w: jnp.sum((w * x - y) ** 2))(w)


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    n = int(n_microbatches)
    x_micro = np.asarray(x_full).reshape(n, -1)
    y_micro = np.asarray(y_full).reshape(n, -1)
    total = jnp.zeros_like(w)
    for x, y in zip(x_micro, y_micro, strict=True):
        total = add_gradient(total, w, x, y)
    return total
