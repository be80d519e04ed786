"""Distances with two choices: one keeps 0 away from the root, the other one puts it back."""

import torch


def pairwise_distances(x, y):
    """x: (M, D), y: (N, D); returns (M, N). The gradient of a distance 0 is 0."""
    squares = (x[:, None] - y).square().sum(dim=-1)
    same = squares == 0
    roots = torch.where(same, 1.0, squares).sqrt()
    return torch.where(same, 0.0, roots)
