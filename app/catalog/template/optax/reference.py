import jax
import jax.numpy as jnp
import optax


def fit(w, x, y, lr, steps):
    optimizer = optax.sgd(lr, momentum=0.9)
    state = optimizer.init(w)
    gradient = jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))
    for _ in range(steps):
        updates, state = optimizer.update(gradient(w), state)
        w = optax.apply_updates(w, updates)
    return w
