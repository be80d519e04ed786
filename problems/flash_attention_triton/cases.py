"""Scores that rise from key to key, so that each block of keys brings a larger maximum."""

import numpy as np


def rising(seed, heads, queries, keys, width):
    """q: (heads, queries, width), k and v: (heads, keys, width)."""
    random = np.random.default_rng(seed)
    q = random.uniform(0.5, 1, (heads, queries, width))
    k = np.linspace(-2, 2, keys)[:, None] + 0.3 * random.standard_normal((heads, keys, width))
    v = random.standard_normal((heads, keys, width))
    return {"q": q.astype(np.float32), "k": k.astype(np.float32), "v": v.astype(np.float32)}
