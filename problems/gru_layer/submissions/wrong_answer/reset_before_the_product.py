"""Mistake: multiplies the state by the reset gate before the matrix product; here the gate multiplies the finished
product with its bias."""

import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def gru_layer(x, lengths, h0, weights):
    h, outputs, size = h0, [], h0.shape[1]
    w_n, b_n = weights["weight_hh"][2 * size :], weights["bias_hh"][2 * size :]
    for t in range(x.shape[1]):
        a = x[:, t] @ weights["weight_ih"].T + weights["bias_ih"]
        b = h @ weights["weight_hh"].T + weights["bias_hh"]
        r = sigmoid(a[:, :size] + b[:, :size])
        z = sigmoid(a[:, size : 2 * size] + b[:, size : 2 * size])
        n = np.tanh(a[:, 2 * size :] + (r * h) @ w_n.T + b_n)
        new = (1 - z) * n + z * h
        running = (t < lengths)[:, None]
        outputs.append(np.where(running, new, 0))
        h = np.where(running, new, h)
    return {"outputs": np.stack(outputs, axis=1), "last": h}
