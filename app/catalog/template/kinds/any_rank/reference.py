import numpy as np


def unit_vectors(x):
    length = np.sqrt((x**2).sum(-1, keepdims=True))
    return x / np.where(length > 0, length, 1)
