"""Mistake: takes the pair that occurs first among equal counts; the problem asks for the smallest pair."""

from collections import Counter


def byte_pair_merge(ids, n_merges, first_new_id):
    tokens, merges = list(ids), []
    for new_id in range(first_new_id, first_new_id + n_merges):
        counts = Counter(zip(tokens, tokens[1:]))
        if not counts:
            break
        pair = counts.most_common(1)[0][0]
        if counts[pair] < 2:
            break
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
