"""Mistake: takes one mean and one variance over the whole array, where each column has its own."""

import numpy as np


def standardise_columns(x, eps):
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
