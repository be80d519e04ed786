"""Mistake: divides the old squared norm by the new one; beta has the new one above the line."""

import numpy as np


def conjugate_gradients(a, b, tolerance, max_steps):
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    squared = r @ r
    norms = [np.sqrt(squared)]
    for _ in range(max_steps):
        if norms[-1] <= tolerance:
            break
        q = a @ p
        alpha = squared / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        new_squared = r @ r
        p = r + squared / new_squared * p
        squared = new_squared
        norms.append(np.sqrt(squared))
    return {"x": x, "residual_norms": np.array(norms)}
