"""Mistake: subtracts the scalar product once. The expanded square subtracts it twice."""

import numpy as np


def pairwise_distances(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - x @ y.T
    return np.sqrt(np.maximum(squares, 0)).astype(np.float32)
