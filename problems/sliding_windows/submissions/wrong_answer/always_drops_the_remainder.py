"""Mistake: drops the incomplete window even if a fill value is given."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    count = max((len(x) - size) // stride + 1, 0)
    return x[stride * np.arange(count)[:, None] + np.arange(size)]
