"""Reference: one SGD step of an NNX linear model from the averaged gradients of two micro-batches."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def mean_squared_error(model, x, y):
    """x: (size, D_IN), y: (size, D_OUT) -> ()"""
    return jnp.mean((model(x) - y) ** 2)


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    """seed: int, lr: float, x_a and x_b: (M, D_IN), y_a and y_b: (M, D_OUT) -> (1,)"""
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.sgd(lr), wrt=nnx.Param)

    loss_and_grads = nnx.value_and_grad(mean_squared_error)
    _, grads_a = loss_and_grads(model, x_a, y_a)
    _, grads_b = loss_and_grads(model, x_b, y_b)
    grads = jax.tree.map(lambda a, b: (a + b) / 2, grads_a, grads_b)
    optimizer.update(model, grads)  # changes the parameters inside model

    x_whole = jnp.concatenate([x_a, x_b])  # (2 * M, D_IN)
    y_whole = jnp.concatenate([y_a, y_b])  # (2 * M, D_OUT)
    return mean_squared_error(model, x_whole, y_whole).reshape(1)
