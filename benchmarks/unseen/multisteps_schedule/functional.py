import itertools
import math

import jax
import jax.numpy as jnp
import optax


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    def rate(step):
        return init_lr * math.prod(scale for boundary, scale in zip(boundaries, scales) if boundary <= step)

    def loss(params, x, y):
        logits = jnp.einsum("kmd,dc->kmc", x, params["kernel"]) + params["bias"]
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    def window(step):
        return slice(step * every_k, (step + 1) * every_k)

    def update(params, step):
        grads = jax.grad(loss)(params, x_micro[window(step)], y_micro[window(step)])
        return optax.apply_updates(params, jax.tree.map(lambda g: -rate(step) * g, grads))

    *_, last = itertools.accumulate(range(len(x_micro) // every_k), update, initial=params)
    return last
