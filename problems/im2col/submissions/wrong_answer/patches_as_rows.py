"""Mistake: returns each patch as a row. Patches are columns, so the axis of the patches is the last one."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def im2col(x, kernel_height, kernel_width, stride, padding, dilation):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    extent = (dilation * (kernel_height - 1) + 1, dilation * (kernel_width - 1) + 1)
    windows = sliding_window_view(x, extent, axis=(2, 3))[:, :, ::stride, ::stride, ::dilation, ::dilation]
    rows = windows.transpose(0, 2, 3, 1, 4, 5)
    return rows.reshape(len(x), -1, x.shape[1] * kernel_height * kernel_width).copy()
