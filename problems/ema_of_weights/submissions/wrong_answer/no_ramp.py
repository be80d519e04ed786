"""Mistake: uses the full decay from the first step; it must begin small, with (1 + t) / (10 + t)."""

import numpy as np


def ema_of_weights(weights, decay):
    averages = np.empty_like(weights)
    averages[0] = weights[0]
    for t in range(1, len(weights)):
        d = decay
        averages[t] = d * averages[t - 1] + (1 - d) * weights[t]
    return averages
