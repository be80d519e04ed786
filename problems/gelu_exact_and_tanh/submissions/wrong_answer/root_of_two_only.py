"""Mistake: divides the root of 2 by pi; the factor is the root of the whole fraction 2 / pi, about 0.798."""

import math

import numpy as np


def gelu_exact_and_tanh(x):
    exact = 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    tanh = 0.5 * x * (1 + np.tanh(math.sqrt(2) / math.pi * (x + 0.044715 * x**3)))
    return {"exact": exact.astype(np.float32), "tanh": tanh}
