"""Mistake: puts all first features before all second ones; the two features of a pair must be neighbours in the answer."""

import jax.numpy as jnp


def rotary_embedding(x, positions, base):
    pairs = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(pairs) / pairs)
    angles = positions[:, None, None] * frequencies
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    first, second = x[..., ::2], x[..., 1::2]
    return jnp.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)
