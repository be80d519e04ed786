from functools import partial

import jax
import jax.numpy as jnp


def residual(x, y, w):
    return w * x - y


def gradient(w, x, y):
    r, vjp = jax.vjp(partial(residual, x, y), w)
    (g,) = vjp(2.0 * r)
    return g


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    split = lambda a: a.reshape((int(n_microbatches), -1))
    batches = jax.tree.map(split, {"x": x_full, "y": y_full})
    return jax.lax.scan(lambda total, batch: (total + gradient(w, **batch), None), jnp.zeros_like(w), batches)[0]
