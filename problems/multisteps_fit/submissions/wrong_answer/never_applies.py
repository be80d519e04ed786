"""Mistake: computes the updates and never applies them, so that the parameters stay as they were."""

import jax
import jax.numpy as jnp
import optax


def mean_loss(params, x, y):
    hidden = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    logits = hidden @ params["output"]["kernel"] + params["output"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    optimizer = optax.MultiSteps(optax.sgd(lr), every_k_schedule=every_k)
    state = optimizer.init(params)

    @jax.jit
    def micro_step(params, state, x, y):
        return optimizer.update(jax.grad(mean_loss)(params, x, y), state, params)

    for x, y in zip(x_micro, y_micro, strict=True):
        updates, state = micro_step(params, state, x, y)
        optax.apply_updates(params, updates)  # returns new parameters, which are not kept
    return params
