"""Without Optax: one scan over the windows, whose examples are one batch each, with the gradient written out."""

import jax
import jax.numpy as jnp


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    windows = len(x_micro) // every_k
    size = every_k * x_micro.shape[1]
    x = x_micro[: windows * every_k].reshape(windows, size, -1)
    y = y_micro[: windows * every_k].reshape(windows, size)
    step = jnp.arange(windows)
    rate = jnp.full(windows, init_lr)
    for boundary, scale in zip(boundaries, scales, strict=True):
        rate = jnp.where(step >= boundary, rate * scale, rate)

    def outer_step(params, window):
        x, y, rate = window
        logits = x @ params["kernel"] + params["bias"]
        error = (jax.nn.softmax(logits) - jax.nn.one_hot(y, logits.shape[1])) / size
        gradients = {"kernel": x.T @ error, "bias": error.sum(axis=0)}
        return jax.tree.map(lambda p, g: p - rate * g, params, gradients), None

    return jax.lax.scan(outer_step, params, (x, y, rate))[0]
