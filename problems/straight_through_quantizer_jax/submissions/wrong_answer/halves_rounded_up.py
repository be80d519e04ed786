"""Mistake: rounds halves up; the problem rounds them to the even neighbour, as jnp.round does."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def fake_quantize(x, scale, low, high):
    return jnp.clip(jnp.floor(x / scale + 0.5), low, high) * scale


def forward(x, scale, low, high):
    return fake_quantize(x, scale, low, high), (x, scale)


def backward(low, high, residuals, upstream):
    x, scale = residuals
    ratio = x / scale
    is_inside = (low <= ratio) & (ratio <= high)
    by_scale = jnp.where(is_inside, jnp.floor(ratio + 0.5) - ratio, jnp.clip(ratio, low, high))
    return jnp.where(is_inside, upstream, 0), jnp.sum(upstream * by_scale)


fake_quantize.defvjp(forward, backward)
