"""Mistake: returns the place inside the window; the position counts rows and columns of the whole image."""

import numpy as np


def max_pool_2d(x, kernel, stride, padding):
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]
    flat = windows.reshape(*windows.shape[:4], -1)
    return {"values": flat.max(axis=-1), "positions": flat.argmax(axis=-1)}
