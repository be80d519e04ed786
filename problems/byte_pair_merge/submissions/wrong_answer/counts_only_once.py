"""Mistake: counts the pairs only once, at the start; each merge makes new neighbours, so count again before every merge."""

from collections import Counter


def byte_pair_merge(ids, n_merges, first_new_id):
    tokens, merges = list(ids), []
    counts = Counter(zip(tokens, tokens[1:]))
    ranked = sorted(counts, key=lambda pair: (-counts[pair], pair))
    for step, pair in enumerate(ranked[:n_merges]):
        if counts[pair] < 2:
            break
        tokens = join(tokens, pair, first_new_id + step)
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
