"""Breaks the rule: right value, but one gradient of the whole batch and no scan."""

import jax
import jax.numpy as jnp


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    def loss(w):
        return jnp.sum((w * x_full - y_full) ** 2)

    return jax.grad(loss)(w)
