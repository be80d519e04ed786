"""Inputs for the cases: Gaussians with a moderate condition number, at any scale, and points between them."""

import numpy as np


def mixture(seed, n, k, d, spread=1.0):
    """n points and k Gaussians in d dimensions, with standard deviations near `spread`."""
    rng = np.random.default_rng(seed)
    roots = np.eye(d) + np.tril(rng.normal(size=(k, d, d))) * 0.5 / np.sqrt(d)
    roots *= spread * rng.uniform(0.7, 1.4, size=(k, d, 1))
    means = rng.normal(size=(k, d)) * spread
    return {
        "x": rng.normal(size=(n, d)) * spread,
        "means": means,
        "covariances": roots @ roots.transpose(0, 2, 1),
    }
