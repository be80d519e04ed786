import numpy as np


def im2col(x, kernel_height, kernel_width, stride, padding, dilation):
    """All patches of the images as columns.

    x: (N, C, H, W), float32
    kernel_height, kernel_width: int, the size of a patch
    stride: int, pixels from one patch to the next
    padding: int, zeros added on each side
    dilation: int, pixels from one element of a patch to the next
    returns: (N, C * kernel_height * kernel_width, L), float32, with L patches
    """
    raise NotImplementedError("replace this line with your solution")
