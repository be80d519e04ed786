import functools
import operator

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


def residuals(params, x, y):
    return x @ params["kernel"][:, 0] + params["bias"][0] - y


def gradient(params, x, y):
    r, pullback = jax.vjp(lambda p: residuals(p, x, y), params)
    return pullback(2 * r / r.size)[0]


def average(trees):
    total = functools.reduce(lambda s, t: jax.tree.map(operator.add, s, t), trees)
    return jax.tree.map(lambda leaf: leaf / len(trees), total)


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    params = nn.Dense(features=1).init(jax.random.key(seed), x_batches[0])["params"]
    tx = optax.sgd(learning_rate=lr)
    grads = average([gradient(params, x, y) for x, y in zip(x_batches, y_batches)])
    updates, _ = tx.update(grads, tx.init(params), params)
    params = optax.apply_updates(params, updates)
    errors = jnp.hstack([residuals(params, x, y) for x, y in zip(x_batches, y_batches)])
    return jnp.mean(errors**2, keepdims=True)
