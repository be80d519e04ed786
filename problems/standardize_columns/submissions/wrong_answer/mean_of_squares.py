"""Mistake: computes the variance as the mean of squares minus the square of the mean, which loses it to rounding if the mean is large. Subtract the mean before you square."""

import numpy as np


def standardize_columns(x, eps):
    present = ~np.isnan(x)
    values = np.where(present, x, np.float32(0))
    count = np.maximum(present.sum(axis=0), 1).astype(np.float32)
    mean = values.sum(axis=0) / count
    variance = np.square(values).sum(axis=0) / count - np.square(mean)
    z = (values - mean) / np.sqrt(np.maximum(variance, 0) + np.float32(eps))
    return np.where(present, z, np.float32(0))
