"""Mistake: optimizer.update wants the model and the gradients; the older form took gradients only: TypeError."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def loss_fn(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.sgd(lr), wrt=nnx.Param)
    _, grads_a = nnx.value_and_grad(loss_fn)(model, x_a, y_a)
    _, grads_b = nnx.value_and_grad(loss_fn)(model, x_b, y_b)
    grads = jax.tree.map(lambda a, b: (a + b) / 2.0, grads_a, grads_b)
    optimizer.update(grads)

    x_whole = jnp.concatenate([x_a, x_b])
    y_whole = jnp.concatenate([y_a, y_b])
    return jnp.array([loss_fn(model, x_whole, y_whole)])
