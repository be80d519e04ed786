"""Mistake: the variance divides by N - 1 where the problem asks for N."""

import numpy as np


def standardise_columns(x, eps):
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0, ddof=1) + np.float32(eps))
