"""Mistake: turns gaps into zeros before the statistics, so they count as measured values. Take mean and variance over the present values only."""

import numpy as np


def standardize_columns(x, eps):
    filled = np.nan_to_num(x)
    z = (filled - filled.mean(axis=0)) / np.sqrt(filled.var(axis=0) + np.float32(eps))
    return np.where(np.isnan(x), np.float32(0), z)
