"""Mistake: adds up the absolute differences. The Euclidean distance is the root of the sum of their squares."""

import torch


def pairwise_distances(x, y):
    return (x[:, None] - y).abs().sum(dim=-1)
