import jax
import jax.numpy as jnp
import optax


def mean_loss(params, x, y):
    """Mean cross-entropy of the network on one micro-batch. x: (M, D), y: (M,) -> scalar."""
    hidden = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    logits = hidden @ params["output"]["kernel"] + params["output"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    """Train with SGD, one update for every `every_k` micro-batches.

    params:  {"hidden": {"kernel": (D, H), "bias": (H,)}, "output": {"kernel": (H, C), "bias": (C,)}}, float32
    x_micro: (T, M, D) float32, T micro-batches of M examples
    y_micro: (T, M) int32, class numbers from 0 to C - 1
    every_k: int, micro-batches in one window
    lr:      float, learning rate

    Returns the trained parameters: a dict of the same shape as `params`.
    """
    # This optimizer steps at every micro-batch. Make it wait until a window of `every_k` is full.
    optimizer = optax.sgd(lr)

    @jax.jit
    def micro_step(params, state, x, y):
        gradients = jax.grad(mean_loss)(params, x, y)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for x, y in zip(x_micro, y_micro, strict=True):
        params, state = micro_step(params, state, x, y)
    return params
