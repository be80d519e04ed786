import numpy as np


def spread(seed, n):
    generator = np.random.default_rng(seed)
    x = generator.integers(0, n, n).astype(np.int32)
    return {"x": x, "total": int(generator.integers(n // 2, n))}
