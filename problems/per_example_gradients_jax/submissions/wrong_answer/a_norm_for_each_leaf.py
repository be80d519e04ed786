"""Mistake: clips every leaf by its own norm; one example's gradient has one norm over all parameters, and one factor."""

import jax
import jax.numpy as jnp


def example_loss(params, x, y):
    hidden = jnp.tanh(x @ params["w1"] + params["b1"])
    return -jax.nn.log_softmax(hidden @ params["w2"] + params["b2"])[y]


def clipped_mean_gradient(params, x, y, max_norm):
    gradients = jax.vmap(jax.grad(example_loss), in_axes=(None, 0, 0))(params, x, y)  # each leaf: (N, ...)
    squares = [jnp.sum(leaf.reshape(len(x), -1) ** 2, axis=1) for leaf in gradients.values()]
    norms = jnp.sqrt(sum(squares))
    factors = [jnp.minimum(1.0, max_norm / jnp.sqrt(square)) for square in squares]
    mean = {name: jnp.tensordot(f, gradients[name], axes=1) / len(x) for f, name in zip(factors, gradients, strict=True)}
    return {"norms": norms, "mean": mean}
