"""Reference: an exponential moving average of the weights, with a decay that grows in the first steps."""

import numpy as np


def ema_of_weights(weights, decay):
    """weights: (T, N) -> (T, N)"""
    averages = np.empty_like(weights)
    averages[0] = weights[0]
    for t in range(1, len(weights)):
        d = min(decay, (1 + t) / (10 + t))
        averages[t] = d * averages[t - 1] + (1 - d) * weights[t]
    return averages
