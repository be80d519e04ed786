"""A custom backward pass for the rounding alone; autograd derives division, clamping and product."""

import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, upstream):
        return upstream


def fake_quantize(x, scale, low, high):
    return Round.apply((x / scale).clamp(low, high)).mul(scale)
