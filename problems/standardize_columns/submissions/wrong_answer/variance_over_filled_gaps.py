"""Mistake: fills the gaps with the mean and then takes the variance of all rows, which makes it too small. Divide by the number of present values."""

import numpy as np


def standardize_columns(x, eps):
    present = ~np.isnan(x)
    mean = np.where(present, x, 0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    filled = np.where(present, x, mean)
    return ((filled - mean) / np.sqrt(np.square(filled - mean).mean(axis=0) + eps)).astype(np.float32)
