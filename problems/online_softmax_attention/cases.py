import numpy as np


def ordered(seed, queries, keys, block_size, low, high):
    """Scores that rise (or fall) from key to key for every query, with some noise."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(1, 1.5, (queries, 4))
    k = np.linspace(low, high, keys)[:, None] + 0.2 * rng.standard_normal((keys, 4))
    v = rng.standard_normal((keys, 3))
    return {
        "q": q.astype(np.float32),
        "k": k.astype(np.float32),
        "v": v.astype(np.float32),
        "block_size": block_size,
    }
