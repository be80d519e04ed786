"""Counts with np.unique, whose rows are sorted: the first largest count belongs to the smallest pair."""

import numpy as np


def byte_pair_merge(ids, n_merges, first_new_id):
    tokens, merges = np.array(ids, dtype=np.int64), []
    for new_id in range(first_new_id, first_new_id + n_merges):
        if len(tokens) < 2:
            break
        pairs, counts = np.unique(np.stack([tokens[:-1], tokens[1:]], axis=1), axis=0, return_counts=True)
        best = counts.argmax()
        if counts[best] < 2:
            break
        first, second = pairs[best].tolist()
        keep = np.ones(len(tokens), dtype=bool)
        i = 0
        while i < len(tokens) - 1:
            if tokens[i] == first and tokens[i + 1] == second:
                tokens[i], keep[i + 1] = new_id, False
                i += 1
            i += 1
        tokens = tokens[keep]
        merges.append([first, second])
    return {"tokens": tokens.tolist(), "merges": merges}
