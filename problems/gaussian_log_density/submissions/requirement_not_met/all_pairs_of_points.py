"""Mistake: computes the products of all pairs of points and keeps the diagonal, so the time grows with the square of the points."""

import numpy as np


def gaussian_log_density(x, mean, covariance):
    deviation = x - mean
    _, log_determinant = np.linalg.slogdet(covariance)
    distance = np.diagonal(deviation @ np.linalg.inv(covariance) @ deviation.T)
    return -0.5 * (distance + log_determinant + x.shape[1] * np.log(2 * np.pi))
