import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

BLOCK = 16


@jax.jit
def flash_attention(q, k, v):
    """Attention of each query over all keys of its head, without a stored matrix of scores.

    q: (H, T, D), float32
    k: (H, S, D), float32
    v: (H, S, D), float32
    returns: (H, T, D), float32
    """
    raise NotImplementedError("replace this line with your solution")
