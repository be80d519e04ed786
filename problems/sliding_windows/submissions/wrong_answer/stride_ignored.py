"""Mistake: begins a window at every step. Windows begin at multiples of the stride."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    if fill is None:
        count = max(len(x) - size + 1, 0)
    else:
        count = max(len(x) - size, 0) + 1
        x = np.pad(x, ((0, max(size - len(x), 0)), (0, 0)), constant_values=fill)
    return x[np.arange(count)[:, None] + np.arange(size)]
