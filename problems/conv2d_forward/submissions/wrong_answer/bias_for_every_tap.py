"""Mistake: adds the bias once for every tap of the filter; it is added once to each output."""

import numpy as np


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    k, l = weight.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    p = (padded.shape[2] - dilation * (k - 1) - 1) // stride + 1
    q = (padded.shape[3] - dilation * (l - 1) - 1) // stride + 1
    y = 0
    for i in range(k):
        for j in range(l):
            met = padded[:, :, i * dilation :: stride, j * dilation :: stride][:, :, :p, :q]
            y = y + np.einsum("nchw,fc->nfhw", met, weight[:, :, i, j]) + bias[:, None, None]
    return y
