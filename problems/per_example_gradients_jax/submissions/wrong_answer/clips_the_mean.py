"""Mistake: clips the mean of the gradients; each example's gradient must be clipped before the mean."""

import jax
import jax.numpy as jnp


def example_loss(params, x, y):
    hidden = jnp.tanh(x @ params["w1"] + params["b1"])
    return -jax.nn.log_softmax(hidden @ params["w2"] + params["b2"])[y]


def clipped_mean_gradient(params, x, y, max_norm):
    gradients = jax.vmap(jax.grad(example_loss), in_axes=(None, 0, 0))(params, x, y)  # each leaf: (N, ...)
    squares = [jnp.sum(leaf.reshape(len(x), -1) ** 2, axis=1) for leaf in gradients.values()]
    norms = jnp.sqrt(sum(squares))
    mean = {name: leaf.mean(axis=0) for name, leaf in gradients.items()}
    length = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in mean.values()))
    mean = {name: leaf * jnp.minimum(1.0, max_norm / length) for name, leaf in mean.items()}
    return {"norms": norms, "mean": mean}
