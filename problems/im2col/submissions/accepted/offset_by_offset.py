"""One strided slice of the padded images for each element of the kernel."""

import numpy as np


def im2col(x, kernel_height, kernel_width, stride, padding, dilation):
    n, c, h, w = x.shape
    padded = np.zeros((n, c, h + 2 * padding, w + 2 * padding), x.dtype)
    padded[:, :, padding : padding + h, padding : padding + w] = x
    out_h = (h + 2 * padding - dilation * (kernel_height - 1) - 1) // stride + 1
    out_w = (w + 2 * padding - dilation * (kernel_width - 1) - 1) // stride + 1
    answer = np.empty((n, c, kernel_height, kernel_width, out_h, out_w), x.dtype)
    for a in range(kernel_height):
        for b in range(kernel_width):
            rows = slice(dilation * a, dilation * a + stride * out_h, stride)
            columns = slice(dilation * b, dilation * b + stride * out_w, stride)
            answer[:, :, a, b] = padded[:, :, rows, columns]
    return answer.reshape(n, c * kernel_height * kernel_width, out_h * out_w)
