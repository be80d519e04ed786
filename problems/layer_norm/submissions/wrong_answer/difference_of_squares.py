"""Mistake: computes the variance as the mean square minus the squared mean, which cancels in float32; subtract the
mean before squaring."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    variance = np.square(x).mean(axis=-1, keepdims=True) - np.square(mean)
    return gain * (x - mean) / np.sqrt(np.maximum(variance, 0) + eps) + bias
