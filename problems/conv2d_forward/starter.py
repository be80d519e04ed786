import numpy as np


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    """The forward pass of a convolution layer.

    x: (N, C, H, W), float32
    weight: (F, C, K, L), float32
    bias: (F,), float32
    stride, padding, dilation: int, the same for rows and columns
    returns: (N, F, P, Q), float32
    """
    raise NotImplementedError("replace this line with your solution")
