"""Mistake: computes the plain mean of all weights so far; recent weights must count more."""

import numpy as np


def ema_of_weights(weights, decay):
    averages = np.empty_like(weights)
    averages[0] = weights[0]
    for t in range(1, len(weights)):
        d = t / (t + 1)
        averages[t] = d * averages[t - 1] + (1 - d) * weights[t]
    return averages
