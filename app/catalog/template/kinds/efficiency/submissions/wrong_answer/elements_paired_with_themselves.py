"""Mistake: pairs an element with itself if it is half of the total."""


def count_pairs(x, total):
    seen, pairs = {}, 0
    for value in x.tolist():
        seen[value] = seen.get(value, 0) + 1
        pairs += seen.get(total - value, 0)
    return pairs
