"""Mistake: sets the optimizer up anew for every micro-batch, so no window ever fills and nothing is applied."""

import jax
import jax.numpy as jnp
import optax


def mean_loss(params, x, y):
    hidden = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    logits = hidden @ params["output"]["kernel"] + params["output"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    optimizer = optax.MultiSteps(optax.sgd(lr), every_k_schedule=every_k)

    @jax.jit
    def micro_step(params, x, y):
        state = optimizer.init(params)
        updates, state = optimizer.update(jax.grad(mean_loss)(params, x, y), state, params)
        return optax.apply_updates(params, updates)

    for x, y in zip(x_micro, y_micro, strict=True):
        params = micro_step(params, x, y)
    return params
