import jax
import jax.numpy as jnp


def logistic_loss(w, b, x, y):
    return -jax.nn.log_sigmoid(y * (jnp.einsum("nd,d->n", x, w) + b))
