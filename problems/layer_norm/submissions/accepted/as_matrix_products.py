"""Means as matrix products with a constant column."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    features = x.shape[-1]
    average = np.full((features, 1), 1 / features, dtype=x.dtype)
    centred = x - x @ average
    return centred / np.sqrt((centred * centred) @ average + eps) * gain + bias
