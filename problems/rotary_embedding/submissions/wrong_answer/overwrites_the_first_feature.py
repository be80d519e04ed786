"""Mistake: computes the second feature of a pair from the new first one; both use the old features."""

import numpy as np


def rotary_embedding(x, positions, base):
    pairs = x.shape[-1] // 2
    frequencies = base ** (-np.arange(pairs) / pairs)
    angles = positions[:, None, None] * frequencies
    cosine, sine = np.cos(angles), np.sin(angles)
    rotated = x.copy()
    rotated[..., ::2] = rotated[..., ::2] * cosine - rotated[..., 1::2] * sine
    rotated[..., 1::2] = rotated[..., ::2] * sine + rotated[..., 1::2] * cosine
    return rotated
