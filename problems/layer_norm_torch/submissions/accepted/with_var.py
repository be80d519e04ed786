"""Mean and variance from one call, with the division by D."""

import torch


def layer_norm(x, gain, bias, eps):
    variance, mean = torch.var_mean(x, dim=2, correction=0, keepdim=True)
    return torch.addcmul(bias, (x - mean) / (variance + eps).sqrt(), gain)
