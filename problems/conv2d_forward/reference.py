"""Convolution in two dimensions as a sum over the taps of the filter."""

import numpy as np


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    """x: (N, C, H, W), weight: (F, C, K, L), bias: (F,); returns (N, F, P, Q)."""
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    height, width = padded.shape[2:]
    rows, columns = weight.shape[2:]
    p = (height - dilation * (rows - 1) - 1) // stride + 1
    q = (width - dilation * (columns - 1) - 1) // stride + 1
    y = bias[:, None, None]
    for i in range(rows):
        for j in range(columns):
            # What the tap (i, j) meets in all windows: one number per window.
            met = padded[:, :, i * dilation :: stride, j * dilation :: stride][:, :, :p, :q]
            y = y + np.einsum("nchw,fc->nfhw", met, weight[:, :, i, j])
    return y
