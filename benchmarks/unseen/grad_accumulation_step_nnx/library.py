"""Optax's MultiSteps inside of nnx.Optimizer, and Optax's loss."""

import jax.numpy as jnp
import optax
from flax import nnx


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.MultiSteps(optax.sgd(lr), every_k_schedule=2), wrt=nnx.Param)

    def loss_fn(module, x, y):
        return optax.squared_error(module(x), y).mean()

    for batch in ((x_a, y_a), (x_b, y_b)):
        optimizer.update(model, nnx.grad(loss_fn)(model, *batch))
    x = jnp.concatenate([x_a, x_b])
    y = jnp.concatenate([y_a, y_b])
    return jnp.atleast_1d(loss_fn(model, x, y))
