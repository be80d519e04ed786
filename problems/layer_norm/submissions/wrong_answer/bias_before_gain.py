"""Mistake: adds the bias before it multiplies by the gain; the bias comes last and is not scaled."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    return gain * ((x - mean) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + bias)
