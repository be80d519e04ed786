"""Mistake: normalises over positions and features together; the statistics go over the D features of one vector."""

import torch


def layer_norm(x, gain, bias, eps):
    return torch.nn.functional.layer_norm(x, x.shape[1:], eps=eps) * gain + bias
