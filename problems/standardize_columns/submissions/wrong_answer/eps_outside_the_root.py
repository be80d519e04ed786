"""Mistake: adds eps to the root of the variance. It belongs under the root."""

import numpy as np


def standardize_columns(x, eps):
    present = ~np.isnan(x)
    count = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, x, 0).sum(axis=0) / count
    deviation = np.where(present, x - mean, 0)
    variance = np.square(deviation).sum(axis=0) / count
    return (deviation / (np.sqrt(variance) + eps)).astype(np.float32)
