"""Mistake: takes one mean and one variance for a whole sequence; each vector has its own, over the last axis only."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    mean = x.mean(axis=(1, 2), keepdims=True)
    return gain * (x - mean) / np.sqrt(x.var(axis=(1, 2), keepdims=True) + eps) + bias
