"""Mistake: gives the decay to the new weights; it is the share of the old average."""

import numpy as np


def ema_of_weights(weights, decay):
    averages = np.empty_like(weights)
    averages[0] = weights[0]
    for t in range(1, len(weights)):
        d = min(decay, (1 + t) / (10 + t))
        averages[t] = (1 - d) * averages[t - 1] + d * weights[t]
    return averages
