"""Mistake: leaves NaN in the gaps. The answer has 0 wherever a value is missing."""

import warnings

import numpy as np


def standardize_columns(x, eps):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (x - np.nanmean(x, axis=0)) / np.sqrt(np.nanvar(x, axis=0) + np.float32(eps))
