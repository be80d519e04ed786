"""Mistake: goes on with pairs that occur only once; learning stops when no pair occurs twice."""

from collections import Counter


def byte_pair_merge(ids, n_merges, first_new_id):
    tokens, merges = list(ids), []
    for new_id in range(first_new_id, first_new_id + n_merges):
        counts = Counter(zip(tokens, tokens[1:]))
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        tokens = join(tokens, pair, new_id)
        merges.append(list(pair))
    return {"tokens": tokens, "merges": merges}


def join(tokens, pair, new_id):
    joined = []
    for token in tokens:
        if joined and (joined[-1], token) == pair:
            joined[-1] = new_id
        else:
            joined.append(token)
    return joined
