"""The log density of a multivariate Gaussian, from the Cholesky factor of its covariance."""

import numpy as np


def gaussian_log_density(x, mean, covariance):
    """x: (N, D), mean: (D,), covariance: (D, D); returns (N,)."""
    dimensions = x.shape[1]
    factor = np.linalg.cholesky(covariance)  # lower triangle L, covariance = L Lᵀ
    whitened = np.linalg.solve(factor, (x - mean).T)  # (D, N)
    distance = np.square(whitened).sum(axis=0)
    half_log_determinant = np.log(np.diagonal(factor)).sum()
    return -0.5 * (distance + dimensions * np.log(2 * np.pi)) - half_log_determinant
