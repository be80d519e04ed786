"""Mistake: adds up the log-sum-exps of the chunks. A sum of logarithms is the logarithm of a product; the sums inside belong together."""

import numpy as np


def streaming_logsumexp(chunks):
    logsumexp, largest, total, weighted = 0.0, -np.inf, 0.0, 0.0
    for scores, values in chunks:
        old, largest = largest, np.maximum(largest, scores.max(axis=1))
        shift = np.where(np.isneginf(largest), 0, largest)
        powers = np.exp(scores - shift[:, None])
        rescale = np.exp(old - shift)
        total = rescale * total + powers.sum(axis=1)
        weighted = rescale * weighted + (powers * values).sum(axis=1)
        with np.errstate(divide="ignore"):
            logsumexp = logsumexp + shift + np.log(powers.sum(axis=1))
    return {"logsumexp": logsumexp, "mean": weighted / np.where(total == 0, 1, total)}
