"""Mistake: also pools windows that reach beyond the padded image; leave them out, and round the number of windows
down."""

import numpy as np


def max_pool_2d(x, kernel, stride, padding):
    n, c, h, w = x.shape
    rows = -(-(h + 2 * padding - kernel) // stride) + 1
    columns = -(-(w + 2 * padding - kernel) // stride) + 1
    beyond = ((0, 0), (0, 0), (padding, padding + stride), (padding, padding + stride))
    padded = np.pad(x, beyond, constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]
    flat = windows[:, :, :rows, :columns].reshape(n, c, rows, columns, -1)
    best = flat.argmax(axis=-1)
    row = np.arange(rows)[:, None] * stride - padding + best // kernel
    column = np.arange(columns) * stride - padding + best % kernel
    return {"values": flat.max(axis=-1), "positions": row * w + column}
