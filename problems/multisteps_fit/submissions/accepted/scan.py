"""MultiSteps inside one `lax.scan` over the micro-batches: the whole training is one compiled program."""

import jax
import jax.numpy as jnp
import optax


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    optimizer = optax.MultiSteps(optax.sgd(lr), every_k_schedule=every_k)

    def loss(params, x, y):
        h = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
        scores = h @ params["output"]["kernel"] + params["output"]["bias"]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), y[:, None], axis=1))

    def body(carry, batch):
        params, state = carry
        updates, state = optimizer.update(jax.grad(loss)(params, *batch), state, params)
        return (optax.apply_updates(params, updates), state), None

    (params, _), _ = jax.lax.scan(body, (params, optimizer.init(params)), (x_micro, y_micro))
    return params
