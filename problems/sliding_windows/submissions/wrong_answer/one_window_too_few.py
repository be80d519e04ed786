"""Mistake: counts the strides between the windows. The number of windows is one more."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    if fill is None:
        count = max((len(x) - size) // stride, 0)
    else:
        count = max(-(-(len(x) - size) // stride), 1)
        missing = max((count - 1) * stride + size - len(x), 0)
        x = np.pad(x, ((0, missing), (0, 0)), constant_values=fill)
    return x[stride * np.arange(count)[:, None] + np.arange(size)]
