"""Max pooling in two dimensions, with the flat position of every maximum."""

import numpy as np


def max_pool_2d(x, kernel, stride, padding):
    """x: (N, C, H, W); returns {"values": (N, C, P, Q), "positions": (N, C, P, Q)}."""
    sides = ((0, 0), (0, 0), (padding, padding), (padding, padding))
    padded = np.pad(x, sides, constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))
    windows = windows[:, :, ::stride, ::stride]  # (N, C, P, Q, kernel, kernel)
    flat = windows.reshape(*windows.shape[:4], kernel * kernel)
    winner = flat.argmax(axis=-1)  # the first of equal numbers, by rows
    row = np.arange(flat.shape[2])[:, None] * stride - padding + winner // kernel
    column = np.arange(flat.shape[3]) * stride - padding + winner % kernel
    return {"values": flat.max(axis=-1), "positions": row * x.shape[3] + column}
