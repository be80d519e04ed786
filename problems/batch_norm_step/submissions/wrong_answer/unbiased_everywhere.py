"""Mistake: normalises the batch with the variance that divides by M - 1; only the running variance takes that one."""

import numpy as np


def batch_norm_step(x, gain, bias, running_mean, running_var, momentum, eps):
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3), ddof=1)
    y = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None] * gain[:, None, None] + bias[:, None, None]
    return {
        "y": y,
        "running_mean": (1 - momentum) * running_mean + momentum * mean,
        "running_var": (1 - momentum) * running_var + momentum * var,
    }
