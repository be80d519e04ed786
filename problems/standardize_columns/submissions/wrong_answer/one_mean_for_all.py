"""Mistake: takes one mean and one variance over the whole table. Each column has its own: reduce over axis 0."""

import numpy as np


def standardize_columns(x, eps):
    return np.nan_to_num((x - np.nanmean(x)) / np.sqrt(np.nanvar(x) + np.float32(eps)))
