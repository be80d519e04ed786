"""Mistake: `torch.var` divides by D - 1 unless told otherwise; pass `correction=0`, because layer normalisation
divides by D."""

import torch


def layer_norm(x, gain, bias, eps):
    variance = x.var(dim=-1, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + eps) + bias
