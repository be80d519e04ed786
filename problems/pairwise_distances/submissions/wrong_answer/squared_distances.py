"""Mistake: returns the squares of the distances. Take the root."""

import numpy as np


def pairwise_distances(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2 * (x @ y.T)
    return np.maximum(squares, 0).astype(np.float32)
