"""Per-example gradients with vmap of grad, each clipped to a norm before the mean."""

import jax
import jax.numpy as jnp


def example_loss(params, x, y):
    """Cross-entropy of one example. x: (D,), y: () → ()."""
    hidden = jnp.tanh(x @ params["w1"] + params["b1"])
    return -jax.nn.log_softmax(hidden @ params["w2"] + params["b2"])[y]


@jax.jit
def clipped_mean_gradient(params, x, y, max_norm):
    """x: (N, D), y: (N,) → the norms, (N,), and the mean of the clipped gradients, a dict like `params`."""
    gradients = jax.vmap(jax.grad(example_loss), in_axes=(None, 0, 0))(params, x, y)  # each leaf: (N, ...)
    squares = [jnp.sum(leaf.reshape(len(x), -1) ** 2, axis=1) for leaf in gradients.values()]
    norms = jnp.sqrt(sum(squares))
    factors = jnp.minimum(1.0, max_norm / norms)
    mean = {name: jnp.tensordot(factors, leaf, axes=1) / len(x) for name, leaf in gradients.items()}
    return {"norms": norms, "mean": mean}
