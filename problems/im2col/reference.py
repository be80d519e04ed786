"""Patches by one index: a table of rows and a table of columns that broadcast against each other."""

import numpy as np


def im2col(x, kernel_height, kernel_width, stride, padding, dilation):
    """x: (N, C, H, W); returns (N, C * KH * KW, OH * OW)."""
    sides = (padding, padding)
    x = np.pad(x, ((0, 0), (0, 0), sides, sides))
    images, channels, height, width = x.shape
    rows = positions(height, kernel_height, stride, dilation)  # (KH, OH)
    columns = positions(width, kernel_width, stride, dilation)  # (KW, OW)
    patches = x[:, :, rows[:, None, :, None], columns[:, None]]  # (N, C, KH, KW, OH, OW)
    return patches.reshape(images, channels * kernel_height * kernel_width, -1)


def positions(size, kernel, stride, dilation):
    """Where element k of window i reads, as a table (kernel, number of windows)."""
    count = (size - dilation * (kernel - 1) - 1) // stride + 1
    return dilation * np.arange(kernel)[:, None] + stride * np.arange(count)
