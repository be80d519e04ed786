"""Mistake: changes the sign of the first half; the second half becomes negative."""

import numpy as np


def rotate_half(x):
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate([second, -first], axis=-1)


def apply_rotary(x, angles):
    return x * np.cos(angles) + rotate_half(x) * np.sin(angles)
