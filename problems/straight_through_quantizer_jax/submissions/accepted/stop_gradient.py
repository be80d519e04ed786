import jax
import jax.numpy as jnp


def fake_quantize(x, scale, low, high):
    ratio = x / scale
    level = ratio + jax.lax.stop_gradient(jnp.round(ratio) - ratio)
    return scale * jnp.where(ratio < low, low, jnp.where(ratio > high, high, level))
