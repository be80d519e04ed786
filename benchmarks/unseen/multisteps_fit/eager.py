import jax
import jax.numpy as jnp
import optax


def mean_loss(params, x, y):
    """Mean cross-entropy of the network on one micro-batch. x: (M, D), y: (M,) -> scalar."""
    hidden = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    logits = hidden @ params["output"]["kernel"] + params["output"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    optimizer = optax.MultiSteps(optax.sgd(lr), every_k_schedule=every_k)
    state = optimizer.init(params)
    for t in range(x_micro.shape[0]):
        grads = jax.grad(mean_loss)(params, x_micro[t], y_micro[t])
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params
