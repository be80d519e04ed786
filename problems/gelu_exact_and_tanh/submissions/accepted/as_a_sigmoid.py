"""Both forms as x times a switch from 0 to 1; the tanh switch is a sigmoid of twice its argument."""

import math

import numpy as np


def sigmoid(t):
    return 1 / (1 + np.exp(-t))


def gelu_exact_and_tanh(x):
    wide = x.astype(np.float64)
    errors = np.frompyfunc(math.erf, 1, 1)(wide * math.sqrt(0.5)).astype(np.float64)
    phi = (errors + 1) / 2
    switch = sigmoid(math.sqrt(8 / math.pi) * wide * (1 + 0.044715 * np.square(wide)))
    return {"exact": (wide * phi).astype(x.dtype), "tanh": (wide * switch).astype(x.dtype)}
