"""Mistake: takes the root of squares that rounding made negative, which is NaN. Set them to 0 first."""

import warnings

import numpy as np


def pairwise_distances(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2 * (x @ y.T)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.sqrt(squares).astype(np.float32)
