"""Mistake: k steps with lr / k in place of one step with the mean: each gradient is taken at parameters that have moved."""

import jax
import jax.numpy as jnp
import optax


def mean_loss(params, x, y):
    hidden = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    logits = hidden @ params["output"]["kernel"] + params["output"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    optimizer = optax.sgd(lr / every_k)
    state = optimizer.init(params)

    @jax.jit
    def micro_step(params, state, x, y):
        return optimizer.update(jax.grad(mean_loss)(params, x, y), state, params)

    for x, y in zip(x_micro, y_micro, strict=True):
        updates, state = micro_step(params, state, x, y)
        params = optax.apply_updates(params, updates)
    return params
