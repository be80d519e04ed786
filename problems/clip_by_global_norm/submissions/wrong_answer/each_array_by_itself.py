"""Mistake: clips each array by its own norm; one factor, from the norm of all arrays together, belongs to all of them."""

import numpy as np


def clip_by_global_norm(grads, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in grads))
    if not np.isfinite(norm):
        return {"grads": [np.zeros_like(g) for g in grads], "norm": norm}
    clipped = []
    for g in grads:
        own = np.linalg.norm(g)
        clipped.append(g * np.float32(max_norm / own) if own > max_norm else g.copy())
    return {"grads": clipped, "norm": norm}
