"""The Gaussian error linear unit, x Φ(x), and its approximation with tanh."""

import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu_exact_and_tanh(x):
    """x: (N, D); returns {"exact": (N, D), "tanh": (N, D)} in float32."""
    x = x.astype(np.float64)
    exact = 0.5 * x * (1 + erf(x / math.sqrt(2)))
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    approximate = 0.5 * x * (1 + np.tanh(u))
    return {"exact": exact.astype(np.float32), "tanh": approximate.astype(np.float32)}
