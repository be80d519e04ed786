"""Mistake: computes the statistics of each feature over the batch, which is batch normalisation; use the last axis."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    mean = x.mean(axis=(0, 1), keepdims=True)
    return gain * (x - mean) / np.sqrt(x.var(axis=(0, 1), keepdims=True) + eps) + bias
