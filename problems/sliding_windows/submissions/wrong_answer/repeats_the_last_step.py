"""Mistake: repeats the last step where the fill value is asked for."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    if fill is None:
        count = max((len(x) - size) // stride + 1, 0)
    else:
        count = max(-(-(len(x) - size) // stride), 0) + 1
    index = stride * np.arange(count)[:, None] + np.arange(size)
    return x[np.minimum(index, len(x) - 1)]
