"""Mistake: `mean()` and `var()` without `dim` are single numbers for the whole tensor; every vector has its own
statistics, over the last dimension."""

import torch


def layer_norm(x, gain, bias, eps):
    return gain * (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps) + bias
