"""Mistake: adds epsilon to the standard deviation; it belongs to the variance, under the root."""

import jax
import jax.numpy as jnp


def residual_block(params, x):
    norm, up, down = params["norm"], params["up"], params["down"]
    centred = x - x.mean(axis=1, keepdims=True)
    deviation = jnp.sqrt(x.var(axis=1, keepdims=True)) + 1e-6
    normal = centred / deviation * norm["scale"] + norm["bias"]
    hidden = jax.nn.gelu(normal @ up["kernel"] + up["bias"])
    return x + hidden @ down["kernel"] + down["bias"]
