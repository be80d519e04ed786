"""Mistake: starts the average at zero; it starts at the initial weights."""

import numpy as np


def ema_of_weights(weights, decay):
    averages = np.empty_like(weights)
    averages[0] = 0.0
    for t in range(1, len(weights)):
        d = min(decay, (1 + t) / (10 + t))
        averages[t] = d * averages[t - 1] + (1 - d) * weights[t]
    return averages
