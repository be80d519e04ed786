"""Mistake: makes an array of all differences, which does not fit into memory. Use a matrix product, or one point at a time."""

import numpy as np


def pairwise_distances(x, y):
    return np.sqrt(((x[:, None] - y) ** 2).sum(axis=2))
