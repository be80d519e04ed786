"""Mistake: uses a constant learning rate, so that the schedule has no effect."""

import jax
import optax


def mean_loss(params, x, y):
    logits = x @ params["kernel"] + params["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    optimizer = optax.MultiSteps(optax.sgd(init_lr), every_k_schedule=every_k)

    @jax.jit
    def micro_step(params, state, x, y):
        updates, state = optimizer.update(jax.grad(mean_loss)(params, x, y), state, params)
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for x, y in zip(x_micro, y_micro, strict=True):
        params, state = micro_step(params, state, x, y)
    return params
