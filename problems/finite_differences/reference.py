"""Central differences: two calls of the function for each coordinate."""

import numpy as np


def central_gradient(f, x, h):
    """f: (N,) → float, x: (N,), h: the step → the differences, (N,)."""
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = h
        gradient[i] = (f(x + step) - f(x - step)) / (2 * h)
    return gradient
