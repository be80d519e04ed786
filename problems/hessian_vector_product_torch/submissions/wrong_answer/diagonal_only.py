"""Mistake: multiplies with the diagonal of the Hessian only; the other elements count too."""

import torch


def hessian_vector_product(w, v, x, y, l2):
    t = torch.tanh(x @ w)
    slope = 1 - t**2
    curvature = slope**2 - 2 * (t - y) * t * slope
    return (curvature @ x**2 / len(y) + l2) * v
