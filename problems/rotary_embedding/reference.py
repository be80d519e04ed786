"""Rotary position embedding with pairs of neighbouring features."""

import numpy as np


def rotary_embedding(x, positions, base):
    """x: (T, H, D), positions: (T,) → (T, H, D), each pair of features rotated."""
    pairs = x.shape[-1] // 2
    frequencies = base ** (-np.arange(pairs) / pairs)
    angles = positions[:, None, None] * frequencies  # (T, 1, D / 2): all heads share the angles
    cosine, sine = np.cos(angles), np.sin(angles)
    first, second = x[..., ::2], x[..., 1::2]
    rotated = np.empty_like(x)
    rotated[..., ::2] = first * cosine - second * sine
    rotated[..., 1::2] = first * sine + second * cosine
    return rotated
