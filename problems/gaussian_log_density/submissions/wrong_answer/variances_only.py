"""Mistake: uses the variances alone and ignores the correlations off the diagonal."""

import numpy as np


def gaussian_log_density(x, mean, covariance):
    d = len(mean)
    lower = np.linalg.cholesky(covariance)
    z = np.linalg.solve(np.diag(np.sqrt(np.diagonal(covariance))), (x - mean).T)
    log_determinant = np.log(np.diagonal(covariance)).sum()
    return -0.5 * np.square(z).sum(axis=0) - 0.5 * log_determinant - 0.5 * d * np.log(2 * np.pi)
