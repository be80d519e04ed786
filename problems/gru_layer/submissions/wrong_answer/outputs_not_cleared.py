"""Mistake: repeats the last state after the end of a sequence; the outputs there are zeros."""

import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def gru_layer(x, lengths, h0, weights):
    h, outputs, size = h0, [], h0.shape[1]
    for t in range(x.shape[1]):
        a = x[:, t] @ weights["weight_ih"].T + weights["bias_ih"]
        b = h @ weights["weight_hh"].T + weights["bias_hh"]
        r = sigmoid(a[:, :size] + b[:, :size])
        z = sigmoid(a[:, size : 2 * size] + b[:, size : 2 * size])
        n = np.tanh(a[:, 2 * size :] + r * b[:, 2 * size :])
        h = np.where((t < lengths)[:, None], (1 - z) * n + z * h, h)
        outputs.append(h)
    return {"outputs": np.stack(outputs, axis=1), "last": h.copy()}
