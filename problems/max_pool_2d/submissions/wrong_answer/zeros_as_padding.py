"""Mistake: pads with zeros, which win against negative numbers; pad with minus infinity."""

import numpy as np


def max_pool_2d(x, kernel, stride, padding):
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]
    flat = windows.reshape(*windows.shape[:4], -1)
    best = flat.argmax(axis=-1)
    row = np.arange(flat.shape[2])[:, None] * stride - padding + best // kernel
    column = np.arange(flat.shape[3]) * stride - padding + best % kernel
    return {"values": flat.max(axis=-1), "positions": row * x.shape[3] + column}
