import numpy as np


def integrate_function(f, a, b):
    nodes, weights = np.polynomial.legendre.leggauss(20)
    middle, half = (a + b) / 2, (b - a) / 2
    return float(half * sum(w * f(middle + half * x) for x, w in zip(nodes, weights, strict=True)))
