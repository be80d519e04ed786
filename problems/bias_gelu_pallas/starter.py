import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

ROWS, COLUMNS = 4, 16


@jax.jit
def bias_gelu(x, bias):
    """GELU of x + bias, with one program for each block of ROWS by COLUMNS numbers.

    x: (R, D), float32
    bias: (D,), float32
    returns: (R, D), float32
    """
    raise NotImplementedError("replace this line with your solution")
