"""Mistake: subtracts the mean with `-=`, which changes the caller's tensor; write `x = x - mean` to make a new one."""

import torch


def layer_norm(x, gain, bias, eps):
    x -= x.mean(dim=-1, keepdim=True)
    return gain * x / torch.sqrt(torch.square(x).mean(dim=-1, keepdim=True) + eps) + bias
