"""Mistake: divides by h, but the two points are 2h apart."""

import numpy as np


def central_gradient(f, x, h):
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = h
        gradient[i] = (f(x + step) - f(x - step)) / h
    return gradient
