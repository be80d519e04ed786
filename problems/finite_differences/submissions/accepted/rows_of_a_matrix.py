import numpy as np


def central_gradient(f, x, h):
    return np.array([f(x + step) - f(x - step) for step in h * np.eye(x.size)]) / (2 * h)
