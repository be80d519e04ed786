"""Mistake: returns the last of several equal maxima; the first one, with the smallest position, is asked for."""

import numpy as np


def max_pool_2d(x, kernel, stride, padding):
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]
    flat = windows.reshape(*windows.shape[:4], -1)
    best = flat.shape[-1] - 1 - flat[..., ::-1].argmax(axis=-1)
    row = np.arange(flat.shape[2])[:, None] * stride - padding + best // kernel
    column = np.arange(flat.shape[3]) * stride - padding + best % kernel
    return {"values": flat.max(axis=-1), "positions": row * x.shape[3] + column}
