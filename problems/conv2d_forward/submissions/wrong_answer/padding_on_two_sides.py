"""Mistake: adds all padding at the bottom and at the right; every one of the four sides gets `padding` rows or
columns."""

import numpy as np


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    k, l = weight.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (0, 2 * padding), (0, 2 * padding)))
    cover = (dilation * (k - 1) + 1, dilation * (l - 1) + 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, cover, axis=(2, 3))
    windows = windows[:, :, ::stride, ::stride, ::dilation, ::dilation]
    return np.einsum("ncpqkl,fckl->nfpq", windows, weight) + bias[:, None, None]
