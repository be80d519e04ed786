"""Mistake: computes the second feature of a pair from the new first one; both use the old features."""

import jax.numpy as jnp


def rotary_embedding(x, positions, base):
    pairs = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(pairs) / pairs)
    angles = positions[:, None, None] * frequencies
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    x = x.at[..., ::2].set(x[..., ::2] * cosine - x[..., 1::2] * sine)
    return x.at[..., 1::2].set(x[..., ::2] * sine + x[..., 1::2] * cosine)
