"""NumPy's own variance, which subtracts the mean first and divides by the number of features."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    normalised = (x - x.mean(axis=2)[:, :, None]) / np.sqrt(x.var(axis=2)[:, :, None] + eps)
    return np.multiply(normalised, gain) + bias
