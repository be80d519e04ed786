"""Slices one window after the other, and fills each by itself."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    windows, start = [], 0
    while True:
        steps = x[start : start + size]
        if fill is None and len(steps) < size:
            break
        window = np.full((size, x.shape[1]), 0 if fill is None else fill, np.float32)
        window[: len(steps)] = steps
        windows.append(window)
        if fill is not None and start + size >= len(x):
            break
        start += stride
    return np.array(windows, np.float32).reshape(len(windows), size, x.shape[1])
