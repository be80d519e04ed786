"""Mistake: takes erf(x) where the normal distribution function needs the error function of x divided by the root of
2."""

import math

import numpy as np


def gelu_exact_and_tanh(x):
    exact = 0.5 * x * (1 + np.vectorize(math.erf)(x))
    tanh = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return {"exact": exact.astype(np.float32), "tanh": tanh}
