import jax
import jax.numpy as jnp
import optax


def example_loss(params, x, y):  # x: (D,), y: ()
    hidden = jnp.tanh(params["hidden"]["kernel"].T @ x + params["hidden"]["bias"])
    logits = params["output"]["kernel"].T @ hidden + params["output"]["bias"]
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits, y)


@jax.jit
def mean_gradient(params, x, y):
    """x: (k, M, D), y: (k, M)"""
    over_examples = jax.vmap(jax.grad(example_loss), in_axes=(None, 0, 0))
    over_window = jax.vmap(over_examples, in_axes=(None, 0, 0))
    return jax.tree.map(lambda g: g.mean(axis=(0, 1)), over_window(params, x, y))


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    n_windows = x_micro.shape[0] // every_k
    for w in range(n_windows):
        part = slice(w * every_k, (w + 1) * every_k)
        grads = mean_gradient(params, x_micro[part], y_micro[part])
        params = jax.tree.map(lambda p, g: p - lr * g, params, grads)
    return params
