"""Mistake: returns the tanh formula as the exact form too; `exact` needs the error function itself."""

import math

import numpy as np


def gelu_exact_and_tanh(x):
    y = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return {"exact": y, "tanh": y.copy()}
