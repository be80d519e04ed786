# mechanism: honest: jax.jit with donated buffers
# verdict: accepted
# problem: dense_layer
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, donate_argnums=(0, 1))
def layer(products, w):
    return jnp.tanh(products), w * 2


def dense_layer(x, w):
    return layer(x @ w, w)[0]
