"""A learning-rate schedule inside `optax.MultiSteps`: it advances once per outer step, not once per micro-batch."""

import jax
import optax


def mean_loss(params, x, y):
    """Mean cross-entropy of softmax regression on one micro-batch. x: (M, D), y: (M,) → ()."""
    logits = x @ params["kernel"] + params["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    """x_micro: (T, M, D), y_micro: (T, M); returns the trained parameters, a tree like `params`."""
    schedule = optax.piecewise_constant_schedule(init_lr, dict(zip(boundaries, scales, strict=True)))
    # The schedule counts the updates of the optimizer it belongs to, and MultiSteps updates the inner one per window.
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
