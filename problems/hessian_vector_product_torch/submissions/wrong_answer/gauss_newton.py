"""Mistake: multiplies with the Gauss-Newton matrix, which leaves out the curvature of the model; the Hessian also has the residuals times second derivatives."""

import torch


def hessian_vector_product(w, v, x, y, l2):
    slope = 1 - torch.tanh(x @ w) ** 2
    return (slope**2 * (x @ v)) @ x / len(y) + l2 * v
