"""Mistake: gives the angles no axis for the heads, so positions are matched with heads; all heads of a row share one position."""

import numpy as np


def rotary_embedding(x, positions, base):
    pairs = x.shape[-1] // 2
    frequencies = base ** (-np.arange(pairs) / pairs)
    angles = positions[:, None] * frequencies
    cosine, sine = np.cos(angles), np.sin(angles)
    first, second = x[..., ::2], x[..., 1::2]
    rotated = np.empty_like(x)
    rotated[..., ::2] = first * cosine - second * sine
    rotated[..., 1::2] = first * sine + second * cosine
    return rotated
