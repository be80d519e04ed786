import jax.numpy as jnp


def logistic_loss(w, b, x, y):
    return jnp.logaddexp(0.0, -y * (x @ w + b))
