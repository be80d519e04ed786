"""Right: the global norm is the norm of the arrays' norms; the factor is limited to 1."""

import math

import numpy as np


def clip_by_global_norm(grads, max_norm):
    norm = math.hypot(*(float(np.linalg.norm(g.astype(np.float64))) for g in grads))
    factor = min(1.0, max_norm / norm) if norm > 0 else 1.0
    is_usable = math.isfinite(norm)
    clipped = [(g * factor if is_usable else np.zeros(g.shape)).astype(np.float32) for g in grads]
    return {"grads": clipped, "norm": norm}
