"""Mistake: does without MultiSteps: it takes a step, and a tick of the schedule, at every micro-batch instead of one per window."""

import jax
import optax


def mean_loss(params, x, y):
    logits = x @ params["kernel"] + params["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    schedule = optax.piecewise_constant_schedule(init_lr, dict(zip(boundaries, scales)))
    optimizer = optax.sgd(schedule)

    @jax.jit
    def micro_step(params, state, x, y):
        updates, state = optimizer.update(jax.grad(mean_loss)(params, x, y), state, params)
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for x, y in zip(x_micro, y_micro, strict=True):
        params, state = micro_step(params, state, x, y)
    return params
