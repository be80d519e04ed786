"""Mistake: does not rescale the old sums if a larger score arrives, so early places count too much."""

import numpy as np


def streaming_logsumexp(chunks):
    largest, total, weighted = -np.inf, 0.0, 0.0
    for scores, values in chunks:
        largest = np.maximum(largest, scores.max(axis=1))
        powers = np.exp(scores - np.where(np.isneginf(largest), 0, largest)[:, None])
        total = total + powers.sum(axis=1)
        weighted = weighted + (powers * values).sum(axis=1)
    with np.errstate(divide="ignore"):
        logsumexp = largest + np.log(total)
    return {"logsumexp": logsumexp, "mean": weighted / np.where(total == 0, 1, total)}
