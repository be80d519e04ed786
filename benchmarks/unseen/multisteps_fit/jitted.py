from functools import partial

import jax
import jax.numpy as jnp
import optax


def cross_entropy(params, x, y):
    hidden = jax.nn.tanh(jnp.dot(x, params["hidden"]["kernel"]) + params["hidden"]["bias"])
    logits = jnp.dot(hidden, params["output"]["kernel"]) + params["output"]["bias"]
    labels = jax.nn.one_hot(y, logits.shape[-1])
    return -(labels * jax.nn.log_softmax(logits)).sum(axis=-1).mean()


@partial(jax.jit, static_argnames=("every_k",))
def train(params, x_micro, y_micro, lr, every_k):
    tx = optax.MultiSteps(optax.sgd(lr), every_k_schedule=every_k)

    def step(t, carry):
        params, state = carry
        grads = jax.grad(cross_entropy)(params, x_micro[t], y_micro[t])
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    params, _ = jax.lax.fori_loop(0, x_micro.shape[0], step, (params, tx.init(params)))
    return params


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    return train(params, x_micro, y_micro, lr, every_k)
