from functools import reduce

import jax
import jax.numpy as jnp
import optax


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    sgd = optax.sgd(lr)

    def loss(params, x, y):
        layer = lambda inputs, p: inputs @ p["kernel"] + p["bias"]
        logits = layer(jnp.tanh(layer(x, params["hidden"])), params["output"])
        return jnp.mean(jax.nn.logsumexp(logits, axis=1) - jnp.take_along_axis(logits, y[:, None], axis=1)[:, 0])

    @jax.jit
    def step(carry, window):
        params, state = carry
        x, y = window
        grads = jax.grad(loss)(params, x.reshape(-1, x.shape[-1]), y.ravel())  # one large batch
        updates, state = sgd.update(grads, state)
        return optax.apply_updates(params, updates), state

    ends = range(every_k, x_micro.shape[0] + 1, every_k)
    windows = [(x_micro[end - every_k : end], y_micro[end - every_k : end]) for end in ends]
    return reduce(step, windows, (params, sgd.init(params)))[0]
