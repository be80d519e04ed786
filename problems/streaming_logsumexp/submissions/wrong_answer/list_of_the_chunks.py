"""Mistake: keeps references to the chunks, whose memory the next chunk overwrites. Use each chunk before you take the next one."""

import numpy as np


def streaming_logsumexp(chunks):
    kept = list(chunks)
    scores = np.concatenate([s for s, _ in kept], axis=1)
    values = np.concatenate([v for _, v in kept], axis=1)
    largest = scores.max(axis=1)
    shift = np.where(np.isneginf(largest), 0, largest)
    powers = np.exp(scores - shift[:, None])
    total = powers.sum(axis=1)
    with np.errstate(divide="ignore"):
        logsumexp = shift + np.log(total)
    return {"logsumexp": logsumexp, "mean": (powers * values).sum(axis=1) / np.where(total == 0, 1, total)}
