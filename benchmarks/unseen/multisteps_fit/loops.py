import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x, y):
    h = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    z = h @ params["output"]["kernel"] + params["output"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(z, y).mean()


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    accumulated = None
    count = 0
    for x, y in zip(x_micro, y_micro):
        grads = jax.grad(loss_fn)(params, x, y)
        if accumulated is None:
            accumulated = grads
        else:
            for layer in grads:
                for name in grads[layer]:
                    accumulated[layer][name] = accumulated[layer][name] + grads[layer][name]
        count += 1
        if count == every_k:
            new = {}
            for layer in params:
                new[layer] = {}
                for name in params[layer]:
                    new[layer][name] = params[layer][name] - lr * accumulated[layer][name] / every_k
            params = new
            accumulated = None
            count = 0
    return params
