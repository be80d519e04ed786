"""Gradient accumulation as an optimizer wrapper: `optax.MultiSteps` around plain SGD."""

import jax
import jax.numpy as jnp
import optax


def mean_loss(params, x, y):
    """Mean cross-entropy of the network on one micro-batch. x: (M, D), y: (M,) → ()."""
    hidden = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    logits = hidden @ params["output"]["kernel"] + params["output"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    """x_micro: (T, M, D), y_micro: (T, M); returns the trained parameters, a tree like `params`."""
    optimizer = optax.MultiSteps(optax.sgd(lr), every_k_schedule=every_k)

    @jax.jit
    def micro_step(params, state, x, y):
        gradients = jax.grad(mean_loss)(params, x, y)
        updates, state = optimizer.update(gradients, state, params)  # zeros until the window is full
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for x, y in zip(x_micro, y_micro, strict=True):
        params, state = micro_step(params, state, x, y)
    return params
