"""A GRU layer over padded sequences; the reset gate acts after the matrix product, as in cuDNN and PyTorch."""

import numpy as np


def gru_layer(x, lengths, h0, weights):
    """x: (N, T, D), lengths: (N,), h0: (N, H); returns outputs (N, T, H) and the last states (N, H)."""
    h, outputs = h0, []
    for t in range(x.shape[1]):
        is_running = (t < lengths)[:, None]
        new = gru_step(x[:, t], h, weights)
        outputs.append(np.where(is_running, new, 0))
        h = np.where(is_running, new, h)
    return {"outputs": np.stack(outputs, axis=1), "last": h}


def gru_step(x, h, weights):
    """x: (N, D), h: (N, H); returns the next states (N, H)."""
    from_x = x @ weights["weight_ih"].T + weights["bias_ih"]
    from_h = h @ weights["weight_hh"].T + weights["bias_hh"]
    x_reset, x_update, x_new = np.split(from_x, 3, axis=1)
    h_reset, h_update, h_new = np.split(from_h, 3, axis=1)
    r = sigmoid(x_reset + h_reset)
    z = sigmoid(x_update + h_update)
    n = np.tanh(x_new + r * h_new)
    return (1 - z) * n + z * h


def sigmoid(a):
    return 1 / (1 + np.exp(-a))
