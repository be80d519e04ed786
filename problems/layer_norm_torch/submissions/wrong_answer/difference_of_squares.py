"""Mistake: computes the variance as the mean square minus the squared mean, which cancels in float32; subtract the
mean before squaring."""

import torch


def layer_norm(x, gain, bias, eps):
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x * x).mean(dim=-1, keepdim=True) - mean * mean
    return gain * (x - mean) / torch.sqrt(variance.clamp(min=0) + eps) + bias
