from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


def mse(params, apply_fn, x, y):
    pred = apply_fn({"params": params}, x).reshape(y.shape)
    return jnp.mean(jnp.power(pred - y, 2))


@jax.jit
def accumulate_and_step(state, x, y):
    grad_fn = jax.grad(mse)
    g0 = grad_fn(state.params, state.apply_fn, x[0], y[0])
    g1 = grad_fn(state.params, state.apply_fn, x[1], y[1])
    return state.apply_gradients(grads=jax.tree.map(lambda u, v: 0.5 * u + 0.5 * v, g0, g1))


@partial(jax.jit, static_argnums=1)
def evaluate(params, apply_fn, x, y):
    return mse(params, apply_fn, x, y)


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    model = nn.Dense(1)
    params = model.init(jax.random.key(seed), x_batches[0])["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(lr))
    state = accumulate_and_step(state, x_batches, y_batches)
    x = jnp.reshape(x_batches, (-1, x_batches.shape[2]))
    y = jnp.reshape(y_batches, (-1,))
    return jnp.array([evaluate(state.params, model.apply, x, y)], dtype=jnp.float32)
