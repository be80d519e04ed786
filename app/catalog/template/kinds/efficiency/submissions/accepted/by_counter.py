from collections import Counter


def count_pairs(x, total):
    counts = Counter(x.tolist())
    twice = sum(count * counts.get(total - value, 0) for value, count in counts.items())
    halves = counts.get(total // 2, 0) if total % 2 == 0 else 0
    return (twice - halves) // 2
