"""Mistake: forgets that the nodes are for an interval of length 2."""

import numpy as np


def integrate_function(f, a, b):
    nodes, weights = np.polynomial.legendre.leggauss(20)
    return float(sum(w * f((a + b) / 2 + (b - a) / 2 * x) for x, w in zip(nodes, weights)))
