"""Mistake: pairs feature i with feature i + D/2; here neighbours form a pair, features 2i and 2i + 1."""

import jax.numpy as jnp


def rotary_embedding(x, positions, base):
    pairs = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(pairs) / pairs)
    angles = positions[:, None, None] * frequencies
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    first, second = x[..., :pairs], x[..., pairs:]
    return jnp.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)
