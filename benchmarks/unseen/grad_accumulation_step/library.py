"""Optax's tree functions and losses, a chain of transformations, and parameters as a flat vector."""

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from jax.flatten_util import ravel_pytree


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    model = nn.Dense(features=1, use_bias=True)
    params = model.init({"params": jax.random.key(seed)}, x_batches[0])["params"]
    flat, unravel = ravel_pytree(params)

    def loss(vector, x, y):
        predictions = model.apply({"params": unravel(vector)}, x)
        return optax.losses.squared_error(predictions, y[:, None]).mean()

    tx = optax.chain(optax.trace(decay=0.0), optax.scale(-lr))
    state = tx.init(flat)
    grads = jnp.stack([jax.grad(loss)(flat, x_batches[i], y_batches[i]) for i in range(2)])
    updates, state = tx.update(grads.mean(axis=0), state)
    flat = optax.apply_updates(flat, updates)
    x, y = jnp.vstack(tuple(x_batches)), jnp.hstack(tuple(y_batches))
    return loss(flat, x, y)[jnp.newaxis]
