import numpy as np


def add_into(a, b, out):
    """Write a + b into out, and return the largest element of the sum.

    a, b, out: (N,), float32
    """
    raise NotImplementedError("replace this line with your solution")
