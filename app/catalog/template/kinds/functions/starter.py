import numpy as np


def rotate_half(x):
    """x: (..., D) → (-b, a) for x = (a, b), of the same shape."""
    raise NotImplementedError("replace this line with your solution")


def apply_rotary(x, angles):
    """x: (..., D), angles: (D,) → (..., D)."""
    raise NotImplementedError("replace this line with your solution")
