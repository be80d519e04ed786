"""Rotary position embedding with pairs of neighbouring features."""

import jax.numpy as jnp


def rotary_embedding(x, positions, base):
    """x: (T, H, D), positions: (T,) → (T, H, D), each pair of features rotated."""
    pairs = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(pairs) / pairs)
    angles = positions[:, None, None] * frequencies  # (T, 1, D / 2): all heads share the angles
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    first, second = x[..., ::2], x[..., 1::2]
    rotated = jnp.stack([first * cosine - second * sine, first * sine + second * cosine], axis=-1)
    return rotated.reshape(x.shape)  # (T, H, D / 2, 2) → (T, H, D): the features of a pair stay neighbours
