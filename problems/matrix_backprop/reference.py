"""Backpropagation with matrices: the gradient by each operation's output becomes the gradients by its inputs."""

import numpy as np


def two_layer_gradients(x, y, w1, b1, w2, b2):
    """x: (N, D), y: (N, K), w1: (D, H), b1: (H,), w2: (H, K), b2: (K,) → a dict of gradients in the same shapes."""
    z = x @ w1 + b1
    h = np.maximum(z, 0)
    p = h @ w2 + b2

    grad_p = (p - y) / len(x)
    grad_h = grad_p @ w2.T
    grad_z = grad_h * (z > 0)
    return {
        "x": grad_z @ w1.T,
        "w1": x.T @ grad_z,
        "b1": grad_z.sum(axis=0),
        "w2": h.T @ grad_p,
        "b2": grad_p.sum(axis=0),
    }
