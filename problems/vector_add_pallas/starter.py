import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK = 8


@jax.jit
def vector_add(x, y):
    """Add two vectors in a kernel, block by block.

    x, y: (N,), float32
    returns: (P,), float32: the N sums, and zeros up to P, the next multiple of BLOCK
    """
    raise NotImplementedError("replace this line with your solution")
