"""Training of byte-pair encoding: count neighbouring pairs, join the most frequent one, and repeat."""

from collections import Counter
from itertools import pairwise


def byte_pair_merge(ids, n_merges, first_new_id):
    """ids: list of N ints; returns the tokens after at most n_merges merges, and the merged pairs in order."""
    tokens, merges = list(ids), []
    for new_id in range(first_new_id, first_new_id + n_merges):
        pair = find_best_pair(tokens)
        if pair is None:
            break
        tokens = join(tokens, pair, new_id)
        merges.append(list(pair))
    return {"tokens": tokens, "merges": merges}


def find_best_pair(tokens):
    """Return the most frequent pair, the smallest among equals, or None if no pair occurs twice."""
    counts = Counter(pairwise(tokens))
    repeated = [pair for pair in counts if counts[pair] >= 2]
    return min(repeated, key=lambda pair: (-counts[pair], pair), default=None)


def join(tokens, pair, new_id):
    """Replace the pair by new_id from left to right. A new id equals no token, so it never joins again."""
    joined = []
    for token in tokens:
        if joined and (joined[-1], token) == pair:
            joined[-1] = new_id
        else:
            joined.append(token)
    return joined
