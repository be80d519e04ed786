"""Mistake: divides the sums by the number of rows. Each column has its own number of present values."""

import numpy as np


def standardize_columns(x, eps):
    mean = np.nansum(x, axis=0) / len(x)
    deviation = np.nan_to_num(x - mean)
    variance = np.square(deviation).sum(axis=0) / len(x)
    return (deviation / np.sqrt(variance + eps)).astype(np.float32)
