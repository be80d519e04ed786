"""Mistake: expands the square in float32, which loses the distances of near points. Use float64, or subtract before you square."""

import numpy as np


def pairwise_distances(x, y):
    squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2 * (x @ y.T)
    return np.sqrt(np.maximum(squares, 0))
