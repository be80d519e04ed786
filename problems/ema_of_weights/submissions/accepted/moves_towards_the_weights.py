"""Right: the average moves by the share 1 - d of its distance to the new weights; a copy of each is kept."""

import numpy as np


def ema_of_weights(weights, decay):
    average = weights[0].astype(np.float64)
    history = [average.copy()]
    for t, current in enumerate(weights[1:], start=1):
        share = 1 - min(decay, (1 + t) / (10 + t))
        average += share * (current - average)
        history.append(average.copy())
    return np.stack(history).astype(np.float32)
