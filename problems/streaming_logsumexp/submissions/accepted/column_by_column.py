"""Takes one column at a time: `logaddexp` keeps the total, and each value pulls the mean by its share of it."""

import numpy as np


def streaming_logsumexp(chunks):
    total = mean = None
    for scores, values in chunks:
        if total is None:
            total, mean = np.full(len(scores), -np.inf), np.zeros(len(scores))
        for score, value in zip(scores.T.astype(float), values.T, strict=True):
            seen = score > -np.inf
            total[seen] = np.logaddexp(total[seen], score[seen])
            mean[seen] += np.exp(score[seen] - total[seen]) * (value[seen] - mean[seen])
    return {"logsumexp": total.astype(np.float32), "mean": mean.astype(np.float32)}
