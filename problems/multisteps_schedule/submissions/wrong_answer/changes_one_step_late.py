"""Mistake: takes a boundary for the last step with the old rate, so every change comes one outer step late."""

import jax
import optax


def mean_loss(params, x, y):
    logits = x @ params["kernel"] + params["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    late = {boundary + 1: scale for boundary, scale in zip(boundaries, scales)}
    schedule = optax.piecewise_constant_schedule(init_lr, late)
    optimizer = optax.MultiSteps(optax.sgd(schedule), every_k_schedule=every_k)

    @jax.jit
    def micro_step(params, state, x, y):
        updates, state = optimizer.update(jax.grad(mean_loss)(params, x, y), state, params)
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for x, y in zip(x_micro, y_micro, strict=True):
        params, state = micro_step(params, state, x, y)
    return params
