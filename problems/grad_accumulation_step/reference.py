"""Reference: one SGD step of a linear model from the averaged gradients of two micro-batches."""

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


def create_state(seed, x, lr):
    """A fresh linear model with one output and plain SGD. x: (size, D)"""
    model = nn.Dense(features=1)
    params = model.init(jax.random.key(seed), x)["params"]
    return TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(lr))


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    """seed: int, lr: float, x_batches: (2, M, D), y_batches: (2, M) -> (1,)"""
    state = create_state(seed, x_batches[0], lr)

    def mean_squared_error(params, x, y):
        predictions = state.apply_fn({"params": params}, x)  # (size, 1)
        return jnp.mean((predictions[:, 0] - y) ** 2)

    grads_of = jax.grad(mean_squared_error)
    grads_a = grads_of(state.params, x_batches[0], y_batches[0])
    grads_b = grads_of(state.params, x_batches[1], y_batches[1])
    grads = jax.tree.map(lambda a, b: (a + b) / 2, grads_a, grads_b)
    state = state.apply_gradients(grads=grads)

    x_whole = x_batches.reshape(-1, x_batches.shape[-1])  # (2 * M, D)
    y_whole = y_batches.reshape(-1)  # (2 * M,)
    return mean_squared_error(state.params, x_whole, y_whole).reshape(1)
