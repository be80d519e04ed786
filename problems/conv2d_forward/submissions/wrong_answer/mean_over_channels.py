"""Mistake: takes the mean over the channels; the output of a filter is the sum over all channels."""

import numpy as np


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    k, l = weight.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    cover = (dilation * (k - 1) + 1, dilation * (l - 1) + 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, cover, axis=(2, 3))
    windows = windows[:, :, ::stride, ::stride, ::dilation, ::dilation]
    return np.einsum("ncpqkl,fckl->nfpq", windows, weight) / x.shape[1] + bias[:, None, None]
