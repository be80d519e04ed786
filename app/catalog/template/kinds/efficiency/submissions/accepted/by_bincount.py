import numpy as np


def count_pairs(x, total):
    counts = np.bincount(x, minlength=total + 1)[: total + 1].astype(np.int64)
    twice = int((counts * counts[::-1]).sum())
    halves = int(counts[total // 2]) if total % 2 == 0 else 0
    return (twice - halves) // 2
