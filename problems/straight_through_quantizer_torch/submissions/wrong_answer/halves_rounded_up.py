"""Mistake: rounds halves up; the problem rounds them to the even neighbour, as torch.round does."""

import torch


class FakeQuantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, low, high):
        ctx.save_for_backward(x, scale)
        ctx.low, ctx.high = low, high
        return torch.clamp(torch.floor(x / scale + 0.5), low, high) * scale

    @staticmethod
    def backward(ctx, upstream):
        x, scale = ctx.saved_tensors
        ratio = x / scale
        is_inside = (ctx.low <= ratio) & (ratio <= ctx.high)
        by_scale = torch.where(is_inside, torch.floor(ratio + 0.5) - ratio, torch.clamp(ratio, ctx.low, ctx.high))
        return upstream * is_inside, torch.sum(upstream * by_scale), None, None


def fake_quantize(x, scale, low, high):
    return FakeQuantize.apply(x, scale, low, high)
