"""Mistake: makes short gradients longer, up to max_norm; gradients within the limit stay as they are."""

import numpy as np


def clip_by_global_norm(grads, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in grads))
    if not np.isfinite(norm) or norm == 0:
        return {"grads": [np.zeros_like(g) for g in grads], "norm": norm}
    return {"grads": [g * np.float32(max_norm / norm) for g in grads], "norm": norm}
