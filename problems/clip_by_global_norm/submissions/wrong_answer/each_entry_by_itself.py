"""Mistake: clips each entry to the range from -max_norm to max_norm, which changes the direction; one factor belongs to all entries."""

import numpy as np


def clip_by_global_norm(grads, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in grads))
    if not np.isfinite(norm):
        return {"grads": [np.zeros_like(g) for g in grads], "norm": norm}
    return {"grads": [np.clip(g, -max_norm, max_norm) for g in grads], "norm": norm}
