"""Mistake: begins windows at multiples of the size, so they never overlap. They begin at multiples of the stride."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    count = len(x) // size if fill is None else -(-len(x) // size)
    if fill is not None:
        x = np.pad(x, ((0, count * size - len(x)), (0, 0)), constant_values=fill)
    return x[: count * size].reshape(count, size, x.shape[1]).copy()
