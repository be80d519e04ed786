"""Mistake: takes the logarithm of the determinant, which underflows or overflows in many dimensions."""

import numpy as np


def gaussian_log_density(x, mean, covariance):
    d = len(mean)
    lower = np.linalg.cholesky(covariance)
    z = np.linalg.solve(lower, (x - mean).T)
    log_determinant = np.log(np.linalg.det(covariance))
    return -0.5 * np.square(z).sum(axis=0) - 0.5 * log_determinant - 0.5 * d * np.log(2 * np.pi)
