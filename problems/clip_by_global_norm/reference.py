"""Reference: one norm and one factor for all gradients of a model."""

import numpy as np


def clip_by_global_norm(grads, max_norm):
    """grads: list of arrays -> {"grads": list of arrays, "norm": ()}"""
    norm = np.sqrt(sum(np.sum(g**2) for g in grads))
    if not np.isfinite(norm):
        clipped = [np.zeros_like(g) for g in grads]
    elif norm > max_norm:
        clipped = [g * np.float32(max_norm / norm) for g in grads]
    else:
        clipped = [g.copy() for g in grads]
    return {"grads": clipped, "norm": norm}
