"""Mistake: returns the derivatives alone; the backward pass multiplies them with the gradient by the output."""

import torch


class FakeQuantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, low, high):
        ctx.save_for_backward(x, scale)
        ctx.low, ctx.high = low, high
        return torch.clamp(torch.round(x / scale), low, high) * scale

    @staticmethod
    def backward(ctx, upstream):
        x, scale = ctx.saved_tensors
        ratio = x / scale
        is_inside = (ctx.low <= ratio) & (ratio <= ctx.high)
        by_scale = torch.where(is_inside, torch.round(ratio) - ratio, torch.clamp(ratio, ctx.low, ctx.high))
        return is_inside.to(x.dtype), torch.sum(by_scale), None, None


def fake_quantize(x, scale, low, high):
    return FakeQuantize.apply(x, scale, low, high)
