"""Mistake: copies one patch at a time in a loop of Python; copy the same element of all patches at once."""

import numpy as np


def im2col(x, kernel_height, kernel_width, stride, padding, dilation):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    images, channels, height, width = x.shape
    extent_h, extent_w = dilation * (kernel_height - 1) + 1, dilation * (kernel_width - 1) + 1
    patches = []
    for top in range(0, height - extent_h + 1, stride):
        for left in range(0, width - extent_w + 1, stride):
            patch = x[:, :, top : top + extent_h : dilation, left : left + extent_w : dilation]
            patches.append(patch.reshape(images, -1))
    return np.stack(patches, axis=2)
