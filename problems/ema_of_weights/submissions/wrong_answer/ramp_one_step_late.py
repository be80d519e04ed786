"""Mistake: counts the first step as t = 0 in the ramp; row t of the weights has the number t."""

import numpy as np


def ema_of_weights(weights, decay):
    averages = np.empty_like(weights)
    averages[0] = weights[0]
    for t in range(1, len(weights)):
        d = min(decay, t / (9 + t))
        averages[t] = d * averages[t - 1] + (1 - d) * weights[t]
    return averages
