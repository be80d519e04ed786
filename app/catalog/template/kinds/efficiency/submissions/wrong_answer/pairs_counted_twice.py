"""Mistake: counts each pair twice, as (i, j) and as (j, i)."""

from collections import Counter


def count_pairs(x, total):
    counts = Counter(x.tolist())
    return sum(count * counts.get(total - value, 0) for value, count in counts.items())
