"""Mistake: adds up the norms of the arrays; for the global norm, their squares are added, and then the root is taken."""

import numpy as np


def clip_by_global_norm(grads, max_norm):
    norm = sum(np.linalg.norm(g) for g in grads)
    if not np.isfinite(norm):
        return {"grads": [np.zeros_like(g) for g in grads], "norm": norm}
    factor = np.float32(max_norm / max(norm, max_norm))
    return {"grads": [g * factor for g in grads], "norm": norm}
