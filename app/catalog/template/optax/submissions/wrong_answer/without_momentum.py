"""Mistake: takes plain steps, without momentum."""

import jax
import jax.numpy as jnp
import optax


def fit(w, x, y, lr, steps):
    optimizer = optax.sgd(lr)
    state = optimizer.init(w)
    for _ in range(steps):
        gradient = jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
        updates, state = optimizer.update(gradient, state)
        w = optax.apply_updates(w, updates)
    return w
