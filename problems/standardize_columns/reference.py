"""Mean and variance of each column over its present values, by a mask and two masked sums."""

import numpy as np


def standardize_columns(x, eps):
    """x: (N, D), NaN where a value is missing; returns (N, D)."""
    present = ~np.isnan(x)
    count = np.maximum(present.sum(axis=0), 1)  # a column without values divides by 1
    mean = np.where(present, x, 0).sum(axis=0) / count
    deviation = np.where(present, x - mean, 0)
    variance = np.square(deviation).sum(axis=0) / count
    return (deviation / np.sqrt(variance + eps)).astype(np.float32)
