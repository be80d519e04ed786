"""Mistake: puts the filling before the first step. It belongs after the last one."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    if fill is None:
        count = max((len(x) - size) // stride + 1, 0)
    else:
        count = max(-(-(len(x) - size) // stride), 0) + 1
        missing = (count - 1) * stride + size - len(x)
        x = np.pad(x, ((missing, 0), (0, 0)), constant_values=fill)
    return x[stride * np.arange(count)[:, None] + np.arange(size)]
