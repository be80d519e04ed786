"""Mistake: multiplies both terms with the cosine; the rotated half belongs to the sine."""

import numpy as np


def rotate_half(x):
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate([-second, first], axis=-1)


def apply_rotary(x, angles):
    return x * np.cos(angles) + rotate_half(x) * np.cos(angles)
