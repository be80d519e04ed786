"""Mistake: chooses 0 only after the root, so the gradient of equal points is NaN. Keep 0 away from the root itself."""

import torch


def pairwise_distances(x, y):
    squares = (x[:, None] - y).square().sum(dim=-1)
    return torch.where(squares == 0, 0.0, squares.sqrt())
