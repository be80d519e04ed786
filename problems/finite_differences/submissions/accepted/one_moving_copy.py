import numpy as np


def central_gradient(f, x, h):
    point = x.copy()
    gradient = np.empty(len(x))
    for i, value in enumerate(x):
        point[i] = value + h
        above = f(point)
        point[i] = value - h
        below = f(point)
        point[i] = value
        gradient[i] = (above - below) / h / 2
    return gradient
