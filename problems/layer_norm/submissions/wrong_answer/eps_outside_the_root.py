"""Mistake: adds eps to the standard deviation; it belongs to the variance, under the root."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    return gain * (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + eps) + bias
