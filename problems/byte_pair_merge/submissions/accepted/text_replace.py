"""Writes the tokens as a text of one character each, in which `str.replace` joins a pair from left to right."""

from collections import Counter


def byte_pair_merge(ids, n_merges, first_new_id):
    known = sorted(set(ids))  # characters have the order of the ids
    text = "".join(chr(known.index(token)) for token in ids)
    merges = []
    while len(merges) < n_merges:
        counts = Counter(zip(text, text[1:], strict=False))
        pair = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if pair is None or counts[pair] < 2:
            break
        text = text.replace("".join(pair), chr(len(known)))
        merges.append([known[ord(letter)] for letter in pair])
        known.append(first_new_id + len(merges) - 1)
    return {"tokens": [known[ord(letter)] for letter in text], "merges": merges}
