"""Mistake: multiplies the tolerance with the norm of b; the tolerance of this problem is absolute."""

import numpy as np


def conjugate_gradients(a, b, tolerance, max_steps):
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    squared = r @ r
    norms = [np.sqrt(squared)]
    for _ in range(max_steps):
        if norms[-1] <= tolerance * norms[0]:
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
