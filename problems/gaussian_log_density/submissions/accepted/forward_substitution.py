"""Forward substitution written out: one dimension at a time, for all points together."""

import numpy as np


def gaussian_log_density(x, mean, covariance):
    lower = np.linalg.cholesky(covariance)
    z = np.zeros_like(x)
    answer = np.zeros(len(x))
    for d in range(len(mean)):
        z[:, d] = (x[:, d] - mean[d] - z[:, :d] @ lower[d, :d]) / lower[d, d]
        answer -= 0.5 * z[:, d] ** 2 + np.log(lower[d, d]) + 0.5 * np.log(2 * np.pi)
    return answer
