"""Mistake: steps after each micro-batch instead of once after both."""

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    model = nn.Dense(features=1)
    params = model.init(jax.random.key(seed), x_batches[0])["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(lr))

    def loss_fn(params, x, y):
        predictions = state.apply_fn({"params": params}, x)[:, 0]
        return jnp.mean((predictions - y) ** 2)

    for x, y in zip(x_batches, y_batches, strict=True):
        grads = jax.grad(loss_fn)(state.params, x, y)
        state = state.apply_gradients(grads=grads)

    x_whole = jnp.concatenate([x_batches[0], x_batches[1]])
    y_whole = jnp.concatenate([y_batches[0], y_batches[1]])
    return jnp.array([loss_fn(state.params, x_whole, y_whole)])
