"""Mistake: leaves the derivative to JAX, which is 0 for rounding; the backward pass must treat rounding as the identity."""

import jax.numpy as jnp


def fake_quantize(x, scale, low, high):
    return jnp.round(jnp.clip(x / scale, low, high)) * scale
