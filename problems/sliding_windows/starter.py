import numpy as np


def sliding_windows(x, size, stride, fill):
    """Windows of `size` steps that begin at 0, stride, 2 * stride, …

    x: (T, D), float32
    size: int, at least 1
    stride: int, from 1 to size
    fill: float, the value of steps after the end of x; or None, which drops an incomplete window
    returns: (W, size, D), float32
    """
    raise NotImplementedError("replace this line with your solution")
