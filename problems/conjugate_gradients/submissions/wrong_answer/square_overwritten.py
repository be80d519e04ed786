"""Mistake: overwrites the old squared norm before it computes beta, so beta is always 1."""

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
        p = r + new_squared / new_squared * p
        squared = new_squared
        norms.append(np.sqrt(squared))
    return {"x": x, "residual_norms": np.array(norms)}
