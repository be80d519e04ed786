"""Mistake: uses a step of its own; the problem asks for the differences with the given h."""

import numpy as np


def central_gradient(f, x, h):
    h = 1e-5
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = h
        gradient[i] = (f(x + step) - f(x - step)) / (2 * h)
    return gradient
