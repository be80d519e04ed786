"""Keeps the log-sum-exp itself, column by column, and moves the mean towards each new value."""

import numpy as np


def streaming_logsumexp(chunks):
    lse = mean = None
    for scores, values in chunks:
        if lse is None:
            lse = np.full(len(scores), -np.inf)
            mean = np.zeros(len(scores))
        for score, value in zip(scores.T.astype(np.float64), values.T.astype(np.float64), strict=True):
            lse = np.logaddexp(lse, score)
            is_open = np.isfinite(score)
            share = np.exp(np.where(is_open, score - np.where(is_open, lse, 0), -np.inf))
            mean = mean + share * (value - mean)
    return {"logsumexp": lse.astype(np.float32), "mean": mean.astype(np.float32)}
