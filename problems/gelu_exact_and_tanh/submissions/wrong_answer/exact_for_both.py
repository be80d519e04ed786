"""Mistake: returns the exact form under `tanh` too; the formula with tanh has slightly different values."""

import math

import numpy as np


def gelu_exact_and_tanh(x):
    y = (0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))).astype(np.float32)
    return {"exact": y, "tanh": y.copy()}
