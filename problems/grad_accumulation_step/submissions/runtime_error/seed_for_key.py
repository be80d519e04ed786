"""Mistake: gives the seed itself to model.init, which wants a key: InvalidRngError. `jax.random.key` makes a key from a seed."""

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    model = nn.Dense(features=1)
    params = model.init(seed, x_batches[0])["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(lr))

    def loss_fn(params, x, y):
        predictions = state.apply_fn({"params": params}, x)[:, 0]
        return jnp.mean((predictions - y) ** 2)

    grads_a = jax.grad(loss_fn)(state.params, x_batches[0], y_batches[0])
    grads_b = jax.grad(loss_fn)(state.params, x_batches[1], y_batches[1])
    grads = jax.tree.map(lambda a, b: (a + b) / 2.0, grads_a, grads_b)
    state = state.apply_gradients(grads=grads)

    x_whole = jnp.concatenate([x_batches[0], x_batches[1]])
    y_whole = jnp.concatenate([y_batches[0], y_batches[1]])
    return jnp.array([loss_fn(state.params, x_whole, y_whole)])
