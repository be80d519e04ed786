import numpy as np


def integrate_function(f, a, b):
    nodes, weights = np.polynomial.legendre.leggauss(5)
    total = 0.0
    for piece in range(8):
        begin, end = a + (b - a) * piece / 8, a + (b - a) * (piece + 1) / 8
        total += sum(w * f((begin + end + (end - begin) * x) / 2) for x, w in zip(nodes, weights)) * (end - begin) / 2
    return float(total)
