"""Mistake: gives no gradient to the scale; it is learned too."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def fake_quantize(x, scale, low, high):
    return jnp.clip(jnp.round(x / scale), low, high) * scale


def forward(x, scale, low, high):
    return fake_quantize(x, scale, low, high), (x, scale)


def backward(low, high, residuals, upstream):
    x, scale = residuals
    ratio = x / scale
    is_inside = (low <= ratio) & (ratio <= high)
    return jnp.where(is_inside, upstream, 0), jnp.zeros_like(scale)


fake_quantize.defvjp(forward, backward)
