"""Mistake: subtracts the constant of one dimension; every dimension has its own."""

import numpy as np


def gaussian_log_density(x, mean, covariance):
    d = len(mean)
    lower = np.linalg.cholesky(covariance)
    z = np.linalg.solve(lower, (x - mean).T)
    log_determinant = 2 * np.log(np.diagonal(lower)).sum()
    return -0.5 * np.square(z).sum(axis=0) - 0.5 * log_determinant - 0.5 * np.log(2 * np.pi)
