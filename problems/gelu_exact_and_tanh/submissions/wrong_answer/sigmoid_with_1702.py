"""Mistake: uses the sigmoid of 1.702 x for `tanh`; that is another, rougher approximation. Use the formula with the
cube."""

import math

import numpy as np


def gelu_exact_and_tanh(x):
    exact = 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return {"exact": exact.astype(np.float32), "tanh": x / (1 + np.exp(np.float32(-1.702) * x))}
