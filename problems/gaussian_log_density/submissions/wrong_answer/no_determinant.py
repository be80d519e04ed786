"""Mistake: leaves the determinant out, so the density does not integrate to 1."""

import numpy as np


def gaussian_log_density(x, mean, covariance):
    d = len(mean)
    lower = np.linalg.cholesky(covariance)
    z = np.linalg.solve(lower, (x - mean).T)
    log_determinant = 0.0
    return -0.5 * np.square(z).sum(axis=0) - 0.5 * log_determinant - 0.5 * d * np.log(2 * np.pi)
