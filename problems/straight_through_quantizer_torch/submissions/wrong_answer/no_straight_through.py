"""Mistake: leaves the derivative to autograd, which is 0 for rounding; the backward pass must treat rounding as the identity."""

import torch


def fake_quantize(x, scale, low, high):
    return torch.round(torch.clamp(x / scale, low, high)) * scale
