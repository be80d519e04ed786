"""In the basis of the eigenvectors, the dimensions are independent."""

import numpy as np


def gaussian_log_density(x, mean, covariance):
    variances, vectors = np.linalg.eigh(covariance)
    coordinates = (x - mean) @ vectors
    return -0.5 * (coordinates**2 / variances + np.log(2 * np.pi * variances)).sum(axis=-1)
