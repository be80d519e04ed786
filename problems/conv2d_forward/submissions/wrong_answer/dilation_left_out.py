"""Mistake: reads neighbouring pixels; the taps of a filter are `dilation` pixels apart."""

import numpy as np


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    k, l = weight.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    p = (padded.shape[2] - dilation * (k - 1) - 1) // stride + 1
    q = (padded.shape[3] - dilation * (l - 1) - 1) // stride + 1
    windows = np.lib.stride_tricks.sliding_window_view(padded, (k, l), axis=(2, 3))
    windows = windows[:, :, ::stride, ::stride][:, :, :p, :q]
    return np.einsum("ncpqkl,fckl->nfpq", windows, weight) + bias[:, None, None]
