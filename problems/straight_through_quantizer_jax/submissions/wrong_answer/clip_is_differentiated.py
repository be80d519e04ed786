"""Mistake: differentiates jnp.clip, which has the derivative one half exactly at a limit; numbers at a limit are inside and have the full gradient."""

import jax
import jax.numpy as jnp


def fake_quantize(x, scale, low, high):
    level = jnp.clip(x / scale, low, high)
    return (level + jax.lax.stop_gradient(jnp.round(level) - level)) * scale
