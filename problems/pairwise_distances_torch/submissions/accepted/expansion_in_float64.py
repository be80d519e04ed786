"""A matrix product in float64, with the root taken only of positive squares."""

import torch


def pairwise_distances(x, y):
    x, y = x.double(), y.double()
    squares = (x * x).sum(1)[:, None] + (y * y).sum(1) - 2 * x @ y.T
    is_positive = squares > 1e-10
    harmless = torch.where(is_positive, squares, torch.ones_like(squares))
    return (harmless.sqrt() * is_positive).float()
