"""Mistake: adds eps to the root of the variance, where it belongs under the root."""

import numpy as np


def standardise_columns(x, eps):
    return (x - x.mean(axis=0)) / (x.std(axis=0) + np.float32(eps))
