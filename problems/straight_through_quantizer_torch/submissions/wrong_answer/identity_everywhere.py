"""Mistake: lets the gradient by x pass outside the range too; the output does not depend on x there, so it is 0."""

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
        return upstream.clone(), torch.sum(upstream * by_scale), None, None


def fake_quantize(x, scale, low, high):
    return FakeQuantize.apply(x, scale, low, high)
