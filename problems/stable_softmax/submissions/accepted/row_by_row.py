"""One row at a time, only over the allowed classes, in float64."""

import numpy as np


def stable_softmax(logits, temperature):
    answer = np.zeros_like(logits)
    for row, probabilities in zip(logits, answer, strict=True):
        allowed = np.isfinite(row)
        if allowed.any():
            z = row[allowed].astype(np.float64) / temperature
            powers = np.exp(z - z.max())
            probabilities[allowed] = powers / powers.sum()
    return answer
