"""Mistake: applies each scale to the initial rate; a scale multiplies the rate that the scales before it have made."""

import jax
import optax


def mean_loss(params, x, y):
    logits = x @ params["kernel"] + params["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    parts = [optax.constant_schedule(init_lr), *(optax.constant_schedule(scale * init_lr) for scale in scales)]
    schedule = optax.join_schedules(parts, list(boundaries))
    optimizer = optax.MultiSteps(optax.sgd(schedule), every_k_schedule=every_k)

    @jax.jit
    def micro_step(params, state, x, y):
        gradients = jax.grad(mean_loss)(params, x, y)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for x, y in zip(x_micro, y_micro, strict=True):
        params, state = micro_step(params, state, x, y)
    return params
