"""Batch normalisation of images in training mode, with the running statistics of PyTorch's convention."""

import numpy as np


def batch_norm_step(x, gain, bias, running_mean, running_var, momentum, eps):
    """x: (N, C, H, W), all others: (C,) or numbers; returns y and the new running statistics."""
    count = x.size // x.shape[1]  # N · H · W
    mean = x.mean(axis=(0, 2, 3))
    deviations = x - per_channel(mean)
    var = np.square(deviations).mean(axis=(0, 2, 3))
    y = per_channel(gain / np.sqrt(var + eps)) * deviations + per_channel(bias)
    unbiased = var * count / (count - 1)
    return {
        "y": y,
        "running_mean": (1 - momentum) * running_mean + momentum * mean,
        "running_var": (1 - momentum) * running_var + momentum * unbiased,
    }


def per_channel(values):
    """(C,) → (C, 1, 1), which broadcasts against (N, C, H, W)."""
    return values[:, None, None]
