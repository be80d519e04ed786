"""Mistake: uses the number of the row as its position; the positions are an input."""

import jax.numpy as jnp


def rotary_embedding(x, positions, base):
    pairs = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(pairs) / pairs)
    angles = jnp.arange(len(x))[:, None, None] * frequencies
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    first, second = x[..., ::2], x[..., 1::2]
    rotated = jnp.stack([first * cosine - second * sine, first * sine + second * cosine], axis=-1)
    return rotated.reshape(x.shape)
