import jax
import jax.numpy as jnp


def fake_quantize(x, scale, low, high):
    """Round x to the grid scale * low, ..., scale * high, with a straight-through gradient by x and scale.

    x:     (N,), float32
    scale: (), float32, above 0
    low:   int, the smallest level
    high:  int, the largest level
    returns: (N,), float32
    """
    raise NotImplementedError("replace this line with your solution")
