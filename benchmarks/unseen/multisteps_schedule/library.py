"""optax.inject_hyperparams with join_schedules, and Optax's own loss on one-hot labels."""

import jax
import numpy as np
import optax


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    rates = init_lr * np.cumprod([1.0, *scales])
    schedule = optax.join_schedules([optax.constant_schedule(float(rate)) for rate in rates], list(boundaries))
    inner = optax.inject_hyperparams(optax.sgd)(learning_rate=schedule)
    tx = optax.MultiSteps(inner, every_k_schedule=every_k, use_grad_mean=True)

    def objective(p, x, y):
        labels = jax.nn.one_hot(y, p["bias"].shape[0])
        return optax.losses.safe_softmax_cross_entropy(x @ p["kernel"] + p["bias"], labels).mean()

    @jax.jit
    def step(p, state, x, y):
        updates, state = tx.update(jax.grad(objective)(p, x, y), state, p)
        return optax.apply_updates(p, updates), state

    state = tx.init(params)
    for x, y in zip(x_micro, y_micro):
        params, state = step(params, state, x, y)
    return params
