"""Mistake: returns the derivatives alone; the backward pass multiplies them with the gradient by the output."""

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
    by_scale = jnp.where(is_inside, jnp.round(ratio) - ratio, jnp.clip(ratio, low, high))
    return is_inside.astype(x.dtype), jnp.sum(by_scale)


fake_quantize.defvjp(forward, backward)
