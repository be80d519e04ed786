"""Right: scans over chunk numbers, slices the batch, uses the derivative worked out on paper."""

import jax.numpy as jnp
from jax import lax


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    n = round(n_microbatches)
    size = x_full.size // n

    def step(total, index):
        x = lax.dynamic_slice_in_dim(x_full, index * size, size)
        y = lax.dynamic_slice_in_dim(y_full, index * size, size)
        return total + 2.0 * jnp.vdot(x, w * x - y), None

    return lax.scan(step, jnp.zeros((), x_full.dtype), jnp.arange(n))[0]
