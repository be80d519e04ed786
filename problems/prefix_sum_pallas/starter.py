import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@functools.partial(jax.jit, static_argnames="block_size")
def prefix_sum(x, block_size):
    """The running sums of x, by kernels whose programs handle one block each.

    x: (N,), float32
    block_size: int, the numbers of one program; a power of two
    returns: (N,), float32
    """
    raise NotImplementedError("replace this line with your solution")
