"""Mistake: treats numbers exactly at the smallest and largest level as outside; the range includes both limits."""

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
    is_inside = (low < ratio) & (ratio < high)
    by_scale = jnp.where(is_inside, jnp.round(ratio) - ratio, jnp.clip(ratio, low, high))
    return jnp.where(is_inside, upstream, 0), jnp.sum(upstream * by_scale)


fake_quantize.defvjp(forward, backward)
