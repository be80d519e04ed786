"""Goes through the offsets inside a window and keeps the best number so far; equal later numbers do not replace it."""

import numpy as np


def max_pool_2d(x, kernel, stride, padding):
    n, c, h, w = x.shape
    rows = (h + 2 * padding - kernel) // stride + 1
    columns = (w + 2 * padding - kernel) // stride + 1
    padded = np.full((n, c, h + 2 * padding, w + 2 * padding), -np.inf, dtype=x.dtype)
    padded[:, :, padding : padding + h, padding : padding + w] = x
    place = np.full(padded.shape[2:], -1)
    place[padding : padding + h, padding : padding + w] = np.arange(h * w).reshape(h, w)
    values = np.full((n, c, rows, columns), -np.inf, dtype=x.dtype)
    positions = np.zeros((n, c, rows, columns), dtype=np.int64)
    for i in range(kernel):
        for j in range(kernel):
            part = np.s_[i : i + stride * (rows - 1) + 1 : stride, j : j + stride * (columns - 1) + 1 : stride]
            candidate = padded[(slice(None), slice(None), *part)]
            is_better = candidate > values
            values = np.where(is_better, candidate, values)
            positions = np.where(is_better, place[part], positions)
    return {"values": values, "positions": positions}
