"""Mistake: makes two updates of half the learning rate; the second gradient is then taken at parameters that have moved."""

import jax.numpy as jnp
import optax
from flax import nnx


def loss_fn(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.sgd(lr / 2), wrt=nnx.Param)
    for x, y in ((x_a, y_a), (x_b, y_b)):
        _, grads = nnx.value_and_grad(loss_fn)(model, x, y)
        optimizer.update(model, grads)

    x_whole = jnp.concatenate([x_a, x_b])
    y_whole = jnp.concatenate([y_a, y_b])
    return jnp.array([loss_fn(model, x_whole, y_whole)])
