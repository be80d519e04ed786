import torch


def fake_quantize(x, scale, low, high):
    ratio = torch.clamp(x / scale, low, high)
    level = ratio + (torch.round(ratio) - ratio).detach()
    return scale * level
