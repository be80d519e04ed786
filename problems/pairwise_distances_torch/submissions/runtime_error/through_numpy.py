"""Mistake: computes in NumPy, which autograd can't follow, so the answer has no gradient. Use operations of PyTorch."""

import numpy as np
import torch


def pairwise_distances(x, y):
    a, b = x.detach().numpy(), y.detach().numpy()
    return torch.from_numpy(np.sqrt(((a[:, None] - b) ** 2).sum(axis=-1)))
