"""Mistake: joins overlapping places, so a run of equal ids becomes too many new ids; a joined token is used up."""

from collections import Counter


def byte_pair_merge(ids, n_merges, first_new_id):
    tokens, merges = list(ids), []
    for new_id in range(first_new_id, first_new_id + n_merges):
        counts = Counter(zip(tokens, tokens[1:]))
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        if counts[pair] < 2:
            break
        tokens = join(tokens, pair, new_id)
        merges.append(list(pair))
    return {"tokens": tokens, "merges": merges}


def join(tokens, pair, new_id):
    joined = []
    for i, token in enumerate(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            joined.append(new_id)
        elif i == 0 or tuple(tokens[i - 1 : i + 1]) != pair:
            joined.append(token)
    return joined
