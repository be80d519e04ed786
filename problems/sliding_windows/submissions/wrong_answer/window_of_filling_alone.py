"""Mistake: adds a window after one that already contains the last step. That window is the last one, also if it fits exactly."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    if fill is None:
        count = max((len(x) - size) // stride + 1, 0)
    else:
        count = max((len(x) - size) // stride + 2, 1)
        missing = (count - 1) * stride + size - len(x)
        x = np.pad(x, ((0, missing), (0, 0)), constant_values=fill)
    return x[stride * np.arange(count)[:, None] + np.arange(size)]
