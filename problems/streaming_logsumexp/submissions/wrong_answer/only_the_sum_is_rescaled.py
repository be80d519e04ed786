"""Mistake: rescales the sum of exponentials and not the sum with values. Both are relative to the largest score."""

import numpy as np


def streaming_logsumexp(chunks):
    largest, total, weighted = -np.inf, 0.0, 0.0
    for scores, values in chunks:
        old, largest = largest, np.maximum(largest, scores.max(axis=1))
        shift = np.where(np.isneginf(largest), 0, largest)
        powers = np.exp(scores - shift[:, None])
        total = np.exp(old - shift) * total + powers.sum(axis=1)
        weighted = weighted + (powers * values).sum(axis=1)
    with np.errstate(divide="ignore"):
        logsumexp = largest + np.log(total)
    return {"logsumexp": logsumexp, "mean": weighted / np.where(total == 0, 1, total)}
