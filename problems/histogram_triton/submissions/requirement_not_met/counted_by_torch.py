"""Mistake: counts with torch.bincount. All counting belongs into kernels."""

import torch


def histogram(x, bins, block_size):
    return torch.bincount(x.clamp(0, bins - 1), minlength=bins).to(torch.int32)
