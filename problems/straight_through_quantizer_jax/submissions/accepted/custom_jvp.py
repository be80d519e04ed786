"""A forward rule; JAX transposes it for the backward pass."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.custom_jvp, nondiff_argnums=(2, 3))
def fake_quantize(x, scale, low, high):
    return jnp.round(jnp.clip(x / scale, low, high)) * scale


@fake_quantize.defjvp
def tangent(low, high, primals, tangents):
    (x, scale), (dx, dscale) = primals, tangents
    r = x / scale
    inside = jnp.logical_and(r >= low, r <= high).astype(x.dtype)
    level = jnp.round(jnp.clip(r, low, high))
    return level * scale, inside * dx + (level - inside * r) * dscale
