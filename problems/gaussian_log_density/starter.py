import numpy as np


def gaussian_log_density(x, mean, covariance):
    """The log density of a Gaussian at each row of x.

    x:          (N, D) float64
    mean:       (D,) float64
    covariance: (D, D) float64, symmetric and positive definite

    Returns an array of shape (N,), float64.
    """
    raise NotImplementedError("replace this line with your solution")
