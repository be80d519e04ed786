"""Mistake: takes the larger one of decay and ramp; decay is the cap, so the smaller one counts."""

import numpy as np


def ema_of_weights(weights, decay):
    averages = np.empty_like(weights)
    averages[0] = weights[0]
    for t in range(1, len(weights)):
        d = max(decay, (1 + t) / (10 + t))
        averages[t] = d * averages[t - 1] + (1 - d) * weights[t]
    return averages
