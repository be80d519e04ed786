"""Windows by one index array: a column of starts plus a row of offsets."""

import numpy as np


def sliding_windows(x, size, stride, fill):
    """x: (T, D); returns (W, size, D)."""
    length, channels = x.shape
    if fill is None:
        count = max((length - size) // stride + 1, 0)
    else:
        count = max(-((size - length) // stride), 0) + 1  # strides, rounded up, and the first window
        missing = (count - 1) * stride + size - length
        x = np.concatenate([x, np.full((missing, channels), fill, x.dtype)])
    starts = stride * np.arange(count)
    return x[starts[:, None] + np.arange(size)]
