"""Mistake: compares the squared norm of the residual with the tolerance, which belongs to the norm."""

import numpy as np


def conjugate_gradients(a, b, tolerance, max_steps):
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    squared = r @ r
    norms = [np.sqrt(squared)]
    for _ in range(max_steps):
        if squared <= tolerance:
            break
        q = a @ p
        alpha = squared / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        new_squared = r @ r
        p = r + new_squared / squared * p
        squared = new_squared
        norms.append(np.sqrt(squared))
    return {"x": x, "residual_norms": np.array(norms)}
