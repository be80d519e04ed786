"""Mistake: adds the hidden bias of the new value outside the reset gate; the gate multiplies the product and its
bias."""

import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def gru_layer(x, lengths, h0, weights):
    h, outputs, size = h0, [], h0.shape[1]
    for t in range(x.shape[1]):
        a = x[:, t] @ weights["weight_ih"].T + weights["bias_ih"] + weights["bias_hh"]
        b = h @ weights["weight_hh"].T
        r = sigmoid(a[:, :size] + b[:, :size])
        z = sigmoid(a[:, size : 2 * size] + b[:, size : 2 * size])
        n = np.tanh(a[:, 2 * size :] + r * b[:, 2 * size :])
        new = (1 - z) * n + z * h
        running = (t < lengths)[:, None]
        outputs.append(np.where(running, new, 0))
        h = np.where(running, new, h)
    return {"outputs": np.stack(outputs, axis=1), "last": h}
