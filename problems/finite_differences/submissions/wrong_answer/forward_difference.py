"""Mistake: compares with the value at x itself, which is a forward difference; take one point on each side of x."""

import numpy as np


def central_gradient(f, x, h):
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = h
        gradient[i] = (f(x + step) - f(x)) / h
    return gradient
