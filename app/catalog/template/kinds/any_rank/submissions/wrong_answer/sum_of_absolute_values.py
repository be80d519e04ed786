"""Mistake: divides by the sum of the absolute values; the length is the root of the sum of squares."""

import numpy as np


def unit_vectors(x):
    length = np.abs(x).sum(-1, keepdims=True)
    return x / np.where(length > 0, length, 1)
