"""Walks with an index, and finds the best pair by a loop over a plain dictionary."""


def byte_pair_merge(ids, n_merges, first_new_id):
    tokens = [*ids]
    merges = []
    while len(merges) < n_merges:
        counts = {}
        for i in range(len(tokens) - 1):
            pair = (tokens[i], tokens[i + 1])
            counts[pair] = counts.get(pair, 0) + 1
        best, most = None, 1
        for pair in sorted(counts):
            if counts[pair] > most:
                best, most = pair, counts[pair]
        if best is None:
            return {"tokens": tokens, "merges": merges}
        out, i = [], 0
        while i < len(tokens):
            if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == best:
                out.append(first_new_id + len(merges))
                i += 2
            else:
                out.append(tokens[i])
                i += 1
        tokens = out
        merges.append([best[0], best[1]])
    return {"tokens": tokens, "merges": merges}
