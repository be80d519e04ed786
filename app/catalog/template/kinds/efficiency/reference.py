def count_pairs(x, total):
    seen, pairs = {}, 0
    for value in x.tolist():
        pairs += seen.get(total - value, 0)
        seen[value] = seen.get(value, 0) + 1
    return pairs
