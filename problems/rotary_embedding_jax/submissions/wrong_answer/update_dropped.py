"""Mistake: does not use the result of .at[].set, so x is returned as it came; an update returns a new array."""

import jax.numpy as jnp


def rotary_embedding(x, positions, base):
    pairs = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(pairs) / pairs)
    angles = positions[:, None, None] * frequencies
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    first, second = x[..., ::2], x[..., 1::2]
    x.at[..., ::2].set(first * cosine - second * sine)
    x.at[..., 1::2].set(first * sine + second * cosine)
    return x
