"""Every channel as one row of M numbers, with the arithmetic in float64."""

import numpy as np


def batch_norm_step(x, gain, bias, running_mean, running_var, momentum, eps):
    rows = np.moveaxis(x, 1, 0).reshape(x.shape[1], -1).astype(np.float64)
    m = rows.shape[1]
    mean = rows @ np.ones(m) / m
    centred = rows - mean[:, None]
    squares = (centred**2).sum(axis=1)
    normalised = centred / np.sqrt(squares / m + eps)[:, None] * gain[:, None] + bias[:, None]
    y = np.moveaxis(normalised.reshape(x.shape[1], x.shape[0], *x.shape[2:]), 0, 1)
    return {
        "y": np.ascontiguousarray(y, dtype=np.float32),
        "running_mean": (running_mean + momentum * (mean - running_mean)).astype(np.float32),
        "running_var": (running_var + momentum * (squares / (m - 1) - running_var)).astype(np.float32),
    }
