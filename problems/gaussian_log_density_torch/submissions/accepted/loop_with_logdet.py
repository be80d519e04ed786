"""A loop over the Gaussians, with logdet and a solve with the covariance."""

import math

import torch


def gaussian_log_density(x, means, covariances):
    columns = []
    for mean, covariance in zip(means, covariances):
        deviation = x - mean
        distance = (deviation * torch.linalg.solve(covariance, deviation.T).T).sum(1)
        columns.append(-0.5 * (distance + torch.logdet(covariance) + len(mean) * math.log(2 * math.pi)))
    return torch.stack(columns, dim=1)
