"""Mistake: the variance divides by D - 1; normalisation layers divide by D, as `np.var` does without `ddof`."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True, ddof=1)
    return gain * (x - mean) / np.sqrt(variance + eps) + bias
