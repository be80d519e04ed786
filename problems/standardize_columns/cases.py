"""Random tables with gaps."""

import numpy as np


def table(seed, rows, columns, missing, loc=1.0, scale=2.0, is_sparse=False):
    """x: (rows, columns), each value missing with probability `missing`.

    If `is_sparse`, the last column has no values and the one before it has a single value.
    """
    random = np.random.default_rng(seed)
    x = loc + scale * random.standard_normal((rows, columns))
    x[random.random((rows, columns)) < missing] = np.nan
    if is_sparse:
        value = x[~np.isnan(x)].max()
        x[:, -2:] = np.nan
        x[random.integers(rows), -2] = value
    return {"x": x.astype(np.float32), "eps": float(random.uniform(0.05, 0.3) * scale**2)}
