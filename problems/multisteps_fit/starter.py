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
    # 1. Build an optimizer that takes one SGD step per window, and its state.
    # 2. Write a step for one micro-batch, which JAX compiles once.
    # 3. Go through the micro-batches, and carry parameters and state along.
    raise NotImplementedError("replace this line with your solution")
