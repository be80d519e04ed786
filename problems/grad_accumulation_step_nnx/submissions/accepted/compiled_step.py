"""Right: nnx.jit compiles the step; each gradient is halved before the two are added."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def loss(model, batch):
    x, y = batch
    return optax.l2_loss(model(x), y).mean() * 2  # l2_loss has a factor 1/2


@nnx.jit
def train_step(model, optimizer, batches):
    halves = []
    for batch in batches:
        grads = nnx.grad(loss)(model, batch)
        halves.append(jax.tree.map(lambda g: g / 2, grads))
    optimizer.update(model, jax.tree.map(jnp.add, *halves))


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    d_in, d_out = x_a.shape[1], y_a.shape[1]
    model = nnx.Linear(d_in, d_out, rngs=nnx.Rngs(params=seed))
    optimizer = nnx.Optimizer(model, optax.sgd(lr), wrt=nnx.Param)
    train_step(model, optimizer, [(x_a, y_a), (x_b, y_b)])
    return jnp.stack([loss(model, (jnp.vstack([x_a, x_b]), jnp.vstack([y_a, y_b])))])
