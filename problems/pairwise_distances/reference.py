"""Distances by the expanded square: one matrix product, in float64."""

import numpy as np


def pairwise_distances(x, y):
    """x: (M, D), y: (N, D); returns (M, N)."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2 * (x @ y.T)
    return np.sqrt(np.maximum(squares, 0)).astype(np.float32)
