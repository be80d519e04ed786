"""Two random clouds of points, some of which they share, and weights."""

import numpy as np


def clouds(seed, m, n, d, loc=0.0, shared=0):
    """x: (m, d) and y: (n, d) around `loc`; `shared` points of y are points of x; weights: (m, n)."""
    random = np.random.default_rng(seed)
    x = (loc + random.normal(0, 1, (m, d))).astype(np.float32)
    y = (loc + random.normal(0, 1, (n, d))).astype(np.float32)
    y[random.permutation(n)[:shared]] = x[random.permutation(m)[:shared]]
    return {"x": x, "y": y, "weights": random.normal(0, 1, (m, n)).astype(np.float32)}
