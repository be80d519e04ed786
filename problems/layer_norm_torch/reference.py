"""Layer normalisation over the last dimension."""

import torch


def layer_norm(x, gain, bias, eps):
    """x: (N, T, D), gain and bias: (D,); returns (N, T, D)."""
    deviations = x - x.mean(dim=-1, keepdim=True)
    variance = torch.square(deviations).mean(dim=-1, keepdim=True)
    return gain * deviations * torch.rsqrt(variance + eps) + bias
