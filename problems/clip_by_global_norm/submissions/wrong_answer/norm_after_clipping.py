"""Mistake: reports the norm after clipping; the norm before clipping is asked for."""

import numpy as np


def clip_by_global_norm(grads, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in grads))
    if not np.isfinite(norm):
        return {"grads": [np.zeros_like(g) for g in grads], "norm": np.float32(0)}
    factor = np.float32(max_norm / max(norm, max_norm))
    return {"grads": [g * factor for g in grads], "norm": norm * factor}
