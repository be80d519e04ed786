"""Mistake: uses the exponent i/D; the exponent of pair i is 2i/D."""

import numpy as np


def rotary_embedding(x, positions, base):
    pairs = x.shape[-1] // 2
    frequencies = base ** (-np.arange(pairs) / x.shape[-1])
    angles = positions[:, None, None] * frequencies
    cosine, sine = np.cos(angles), np.sin(angles)
    first, second = x[..., ::2], x[..., 1::2]
    rotated = np.empty_like(x)
    rotated[..., ::2] = first * cosine - second * sine
    rotated[..., 1::2] = first * sine + second * cosine
    return rotated
