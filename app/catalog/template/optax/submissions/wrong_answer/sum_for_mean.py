"""Mistake: sums the squared errors over the examples where the problem asks for the mean."""

import jax
import jax.numpy as jnp
import optax


def fit(w, x, y, lr, steps):
    optimizer = optax.sgd(lr, momentum=0.9)
    state = optimizer.init(w)
    for _ in range(steps):
        gradient = jax.grad(lambda w: jnp.sum((x @ w - y) ** 2))(w)
        updates, state = optimizer.update(gradient, state)
        w = optax.apply_updates(w, updates)
    return w
