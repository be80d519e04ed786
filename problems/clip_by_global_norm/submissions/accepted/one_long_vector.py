"""Right: joins all entries into one vector, clips that, and cuts it into the old shapes."""

import numpy as np


def clip_by_global_norm(grads, max_norm):
    flat = np.concatenate([g.ravel() for g in grads])
    norm = np.linalg.norm(flat)
    if not np.isfinite(flat).all():
        flat = np.zeros_like(flat)
    else:
        flat = flat * np.float32(max_norm / max(norm, max_norm))
    ends = np.cumsum([g.size for g in grads])
    parts = np.split(flat, ends[:-1])
    return {"grads": [part.reshape(g.shape).copy() for part, g in zip(parts, grads)], "norm": norm}
