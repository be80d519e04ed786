"""Mistake: standardises each row; mean and variance go over the examples, axis 0."""

import numpy as np


def standardise_columns(x, eps):
    mean = x.mean(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=1, keepdims=True) + np.float32(eps))
