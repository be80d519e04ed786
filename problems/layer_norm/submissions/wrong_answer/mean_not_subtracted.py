"""Mistake: divides by the root mean square and leaves the mean in; layer normalisation subtracts the mean first."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    return gain * x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + eps) + bias
