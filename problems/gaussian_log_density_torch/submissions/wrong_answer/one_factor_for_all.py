"""Mistake: uses the first covariance for every Gaussian; each one has its own factor."""

import math

import torch


def gaussian_log_density(x, means, covariances):
    d = x.shape[1]
    factors = torch.linalg.cholesky(covariances)
    deviations = (x[:, None] - means)[..., None]
    z = torch.linalg.solve_triangular(factors[0], deviations, upper=False)[..., 0]
    log_determinants = 2 * torch.diagonal(factors[0]).log().sum()
    return -0.5 * (z * z).sum(-1) - 0.5 * log_determinants - 0.5 * d * math.log(2 * math.pi)
