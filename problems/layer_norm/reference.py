"""Layer normalisation over the last axis."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    """x: (N, T, D), gain and bias: (D,); returns (N, T, D)."""
    deviations = x - x.mean(axis=-1, keepdims=True)
    variance = np.square(deviations).mean(axis=-1, keepdims=True)
    return gain * deviations / np.sqrt(variance + np.float32(eps)) + bias
