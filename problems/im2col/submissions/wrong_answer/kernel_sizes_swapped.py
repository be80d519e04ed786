"""Mistake: swaps the kernel's height and width. The height belongs to axis 2, the width to axis 3."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def im2col(x, kernel_height, kernel_width, stride, padding, dilation):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    extent = (dilation * (kernel_width - 1) + 1, dilation * (kernel_height - 1) + 1)
    extent = tuple(min(e, size) for e, size in zip(extent, x.shape[2:], strict=True))
    windows = sliding_window_view(x, extent, axis=(2, 3))[:, :, ::stride, ::stride, ::dilation, ::dilation]
    columns = windows.transpose(0, 1, 4, 5, 2, 3)
    kernel = columns.shape[2] * columns.shape[3]
    return columns.reshape(len(x), x.shape[1] * kernel, -1).copy()
