"""Conjugate gradients: each direction is conjugate to all earlier ones, so no step spoils an earlier one."""

import numpy as np


def conjugate_gradients(a, b, tolerance, max_steps):
    """a: (N, N), b: (N,); returns {"x": (N,), "residual_norms": (S + 1,)}."""
    x = np.zeros_like(b)
    residual = direction = b
    squared = b @ b
    norms = [np.sqrt(squared)]
    for _ in range(max_steps):
        if norms[-1] <= tolerance:
            break
        image = a @ direction
        alpha = squared / (direction @ image)
        x = x + alpha * direction
        residual = residual - alpha * image
        old_squared, squared = squared, residual @ residual
        direction = residual + squared / old_squared * direction
        norms.append(np.sqrt(squared))
    return {"x": x, "residual_norms": np.array(norms)}
