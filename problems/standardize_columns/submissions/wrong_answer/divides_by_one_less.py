"""Mistake: the variance divides by the number of present values minus 1. This problem divides by the number itself (ddof 0)."""

import numpy as np


def standardize_columns(x, eps):
    present = ~np.isnan(x)
    count = present.sum(axis=0)
    mean = np.where(present, x, 0).sum(axis=0) / np.maximum(count, 1)
    deviation = np.where(present, x - mean, 0)
    variance = np.square(deviation).sum(axis=0) / np.maximum(count - 1, 1)
    return (deviation / np.sqrt(variance + eps)).astype(np.float32)
