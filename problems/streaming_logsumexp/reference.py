"""Log-sum-exp and weighted mean with a running maximum, to which both sums are relative."""

import numpy as np


def streaming_logsumexp(chunks):
    """chunks: pairs (scores, values) of shape (B, K); returns two arrays (B,)."""
    largest, total, weighted = -np.inf, 0.0, 0.0
    for scores, values in chunks:
        old, largest = largest, np.maximum(largest, scores.max(axis=1))
        shift = np.where(np.isneginf(largest), 0, largest)  # only masked places so far
        powers = np.exp(scores - shift[:, None])
        rescale = np.exp(old - shift)
        total = rescale * total + powers.sum(axis=1)
        weighted = rescale * weighted + (powers * values).sum(axis=1)
    with np.errstate(divide="ignore"):
        logsumexp = largest + np.log(total)
    return {"logsumexp": logsumexp, "mean": weighted / np.where(total == 0, 1, total)}
