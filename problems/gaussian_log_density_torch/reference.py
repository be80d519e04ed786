"""The log densities of several Gaussians in one batch, from the Cholesky factors of their covariances."""

import math

import torch


def gaussian_log_density(x, means, covariances):
    """x: (N, D), means: (K, D), covariances: (K, D, D); returns (N, K)."""
    dimensions = x.shape[1]
    factors = torch.linalg.cholesky(covariances)  # (K, D, D), lower triangles
    deviations = x[:, None] - means  # (N, K, D)
    whitened = torch.linalg.solve_triangular(factors, deviations[..., None], upper=False)[..., 0]  # (N, K, D)
    distances = whitened.square().sum(dim=2)
    half_log_determinants = torch.diagonal(factors, dim1=1, dim2=2).log().sum(dim=1)  # (K,)
    return -0.5 * (distances + dimensions * math.log(2 * math.pi)) - half_log_determinants
