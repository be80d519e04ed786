"""Runs every sequence alone, over its own steps only, in float64."""

import numpy as np


def gru_layer(x, lengths, h0, weights):
    w = {name: np.asarray(values, dtype=np.float64) for name, values in weights.items()}
    units = h0.shape[1]
    outputs = np.zeros((*x.shape[:2], units), dtype=np.float32)
    last = np.empty(h0.shape, dtype=np.float32)
    for i in range(len(x)):
        h = h0[i].astype(np.float64)
        for t in range(int(lengths[i])):
            a = (w["weight_ih"] @ x[i, t] + w["bias_ih"]).reshape(3, units)
            b = (w["weight_hh"] @ h + w["bias_hh"]).reshape(3, units)
            r, z = 1 / (1 + np.exp(-a[:2] - b[:2]))
            h = z * h + (1 - z) * np.tanh(a[2] + r * b[2])
            outputs[i, t] = h
        last[i] = h
    return {"outputs": outputs, "last": last}
