import numpy as np


def unit_vectors(x):
    """x: (..., D), float32; returns the same shape."""
    raise NotImplementedError("replace this line with your solution")
