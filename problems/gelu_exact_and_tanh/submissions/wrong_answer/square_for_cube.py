"""Mistake: the correction inside tanh uses the square of x; the formula has the cube, which keeps the sign of x."""

import math

import numpy as np


def gelu_exact_and_tanh(x):
    exact = 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    tanh = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**2)))
    return {"exact": exact.astype(np.float32), "tanh": tanh}
