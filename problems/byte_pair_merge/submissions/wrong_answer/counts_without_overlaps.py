"""Mistake: counts a run of equal ids without overlaps, so 5, 5, 5 counts once; every place with a right neighbour counts."""

from collections import Counter


def byte_pair_merge(ids, n_merges, first_new_id):
    tokens, merges = list(ids), []
    for new_id in range(first_new_id, first_new_id + n_merges):
        counts = count_without_overlaps(tokens)
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        if counts[pair] < 2:
            break
        tokens = join(tokens, pair, new_id)
        merges.append(list(pair))
    return {"tokens": tokens, "merges": merges}


def count_without_overlaps(tokens):
    counts, last_place = Counter(), {}
    for i, pair in enumerate(zip(tokens, tokens[1:])):
        if last_place.get(pair) != i - 1:
            counts[pair] += 1
            last_place[pair] = i
    return counts


def join(tokens, pair, new_id):
    joined = []
    for token in tokens:
        if joined and (joined[-1], token) == pair:
            joined[-1] = new_id
        else:
            joined.append(token)
    return joined
