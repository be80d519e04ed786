"""Mistake: multiplies the whole matrices with PyTorch; a kernel must do it."""

import torch


def tiled_matmul(a, b):
    return torch.matmul(a, b)
