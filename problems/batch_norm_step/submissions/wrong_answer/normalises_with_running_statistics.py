"""Mistake: normalises with the updated running statistics, as evaluation does; training uses the statistics of the
batch."""

import numpy as np


def batch_norm_step(x, gain, bias, running_mean, running_var, momentum, eps):
    m = x.size / x.shape[1]
    mean = (1 - momentum) * running_mean + momentum * x.mean(axis=(0, 2, 3))
    var = (1 - momentum) * running_var + momentum * x.var(axis=(0, 2, 3)) * m / (m - 1)
    y = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None] * gain[:, None, None] + bias[:, None, None]
    return {"y": y.astype(np.float32), "running_mean": mean.astype(np.float32), "running_var": var.astype(np.float32)}
