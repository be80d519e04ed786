"""Right: functional style; the model is split, the state is an ordinary JAX tree."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    graph, params = nnx.split(model, nnx.Param)

    @jax.jit
    def loss(params, x, y):
        predictions = nnx.merge(graph, params)(x)
        return jnp.square(y - predictions).sum() / y.size

    x, y = jnp.stack([x_a, x_b]), jnp.stack([y_a, y_b])  # (2, M, D_IN), (2, M, D_OUT)
    per_batch = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, x, y)
    grads = jax.tree.map(lambda leaf: leaf.mean(axis=0), per_batch)

    optimizer = optax.sgd(lr)
    updates, _ = optimizer.update(grads, optimizer.init(params), params)
    params = optax.apply_updates(params, updates)
    losses = jax.vmap(loss, in_axes=(None, 0, 0))(params, x, y)
    return losses.mean(keepdims=True)
