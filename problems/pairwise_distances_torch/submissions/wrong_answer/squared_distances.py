"""Mistake: returns the squares of the distances. Take the root."""

import torch


def pairwise_distances(x, y):
    return (x[:, None] - y).square().sum(dim=-1)
