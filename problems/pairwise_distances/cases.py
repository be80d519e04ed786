"""Two random clouds of points, some of which they share."""

import numpy as np


def clouds(seed, m, n, d, loc=0.0, shared=0):
    """x: (m, d) and y: (n, d), around `loc` in every second coordinate and around 0 in the others.

    `shared` points of y are points of x.
    """
    random = np.random.default_rng(seed)
    centre = loc * (np.arange(d) % 2)
    x = (centre + random.normal(0, 1, (m, d))).astype(np.float32)
    y = (centre + random.normal(0, 1, (n, d))).astype(np.float32)
    y[random.permutation(n)[:shared]] = x[random.permutation(m)[:shared]]
    return {"x": x, "y": y}
