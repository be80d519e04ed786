import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

ROWS = 4
EPS = 1e-5


@jax.jit
def layer_norm(x, gain, bias):
    """Normalise each row, then scale and shift its features, with one program for ROWS rows.

    x: (R, D), float32
    gain, bias: (D,), float32
    returns: (R, D), float32
    """
    raise NotImplementedError("replace this line with your solution")
