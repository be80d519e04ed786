import numpy as np


def central_gradient(f, x, h):
    """Estimate the gradient of f at x by central differences with the step h.

    f: function from a float64 array of shape (N,) to a Python float
    x: (N,), float64
    h: float, above 0
    returns: (N,), float64
    """
    raise NotImplementedError("replace this line with your solution")
