"""Mistake: differentiates each loss divided by N, so the norms are N times too small and too few gradients are clipped; divide after the clipping."""

import jax
import jax.numpy as jnp


def example_loss(params, x, y):
    hidden = jnp.tanh(x @ params["w1"] + params["b1"])
    return -jax.nn.log_softmax(hidden @ params["w2"] + params["b2"])[y]


def clipped_mean_gradient(params, x, y, max_norm):
    gradient = jax.grad(lambda params, x_i, y_i: example_loss(params, x_i, y_i) / len(x))
    gradients = jax.vmap(gradient, in_axes=(None, 0, 0))(params, x, y)
    squares = [jnp.sum(leaf.reshape(len(x), -1) ** 2, axis=1) for leaf in gradients.values()]
    norms = jnp.sqrt(sum(squares))
    factors = jnp.minimum(1.0, max_norm / norms)
    mean = {name: jnp.tensordot(factors, leaf, axes=1) for name, leaf in gradients.items()}
    return {"norms": norms, "mean": mean}
