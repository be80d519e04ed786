import numpy as np


def opposite_queries(seed, heads, groups, queries, keys):
    """Scores near 140 in even heads and near -140 in odd ones: each row needs a maximum of its own."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(8, 8.8, (heads, queries, 4))
    q[1::2] *= -1
    k = rng.uniform(8, 8.8, (groups, keys, 4))
    v = rng.standard_normal((groups, keys, 3))
    return {"q": q.astype(np.float32), "k": k.astype(np.float32), "v": v.astype(np.float32)}
