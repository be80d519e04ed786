import jax
import jax.numpy as jnp


def ridge_gradient(w, x, y, strength):
    """The gradient of the mean squared error plus strength times the sum of squared weights.

    w: (D,), float32
    x: (N, D), float32
    y: (N,), float32
    strength: float, above 0
    returns: (D,), float32
    """
    raise NotImplementedError("replace this line with your solution")
