"""Mistake: takes dilation times kernel size as the extent of a patch. The last element has no gap after it: the extent is dilation * (kernel - 1) + 1."""

import numpy as np


def im2col(x, kernel_height, kernel_width, stride, padding, dilation):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    count = [
        max((size - dilation * k) // stride + 1, 0)
        for size, k in zip(x.shape[2:], (kernel_height, kernel_width), strict=True)
    ]
    rows = dilation * np.arange(kernel_height)[:, None] + stride * np.arange(count[0])
    columns = dilation * np.arange(kernel_width)[:, None] + stride * np.arange(count[1])
    patches = x[:, :, rows[:, None, :, None], columns[:, None]]
    return patches.reshape(len(x), x.shape[1] * kernel_height * kernel_width, count[0] * count[1])
