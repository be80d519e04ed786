"""Right: computes with which share each row counts in each average, and multiplies the matrix of shares with the weights."""

import numpy as np


def ema_of_weights(weights, decay):
    steps = len(weights)
    rows = np.arange(steps)
    d = np.minimum(decay, (1 + rows) / (10 + rows))
    new = 1 - d
    new[0] = 1.0  # the initial weights count fully at the start
    shares = np.zeros((steps, steps))
    for t in range(steps):
        shares[t, : t + 1] = new[: t + 1] * np.append(np.cumprod(d[1 : t + 1][::-1])[::-1], 1.0)
    return (shares @ weights).astype(np.float32)
