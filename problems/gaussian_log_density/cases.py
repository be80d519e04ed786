"""Inputs for the cases: covariances with a moderate condition number, at any scale."""

import numpy as np


def points(seed, n, d, spread=1.0):
    """n points from a Gaussian with d dimensions and standard deviations near `spread`."""
    rng = np.random.default_rng(seed)
    root = np.eye(d) + np.tril(rng.normal(size=(d, d))) * 0.5 / np.sqrt(d)
    root *= spread * rng.uniform(0.7, 1.4, size=(d, 1))
    mean = rng.normal(size=d) * spread
    return {
        "x": mean + 1.3 * rng.normal(size=(n, d)) @ root.T,
        "mean": mean,
        "covariance": root @ root.T,
    }
