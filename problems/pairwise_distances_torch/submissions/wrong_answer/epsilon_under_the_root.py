"""Mistake: adds a small number under the root, which changes the distances of equal and near points. Choose another number only where the square is 0."""

import torch


def pairwise_distances(x, y):
    return torch.sqrt((x[:, None] - y).square().sum(dim=-1) + 1e-6)
