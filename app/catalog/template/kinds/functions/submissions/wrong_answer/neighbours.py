"""Mistake: turns pairs of neighbours; an element belongs to the one that is D/2 further."""

import numpy as np


def rotate_half(x):
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    return np.stack([-pairs[..., 1], pairs[..., 0]], axis=-1).reshape(x.shape)


def apply_rotary(x, angles):
    return x * np.cos(angles) + rotate_half(x) * np.sin(angles)
