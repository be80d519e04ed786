"""Mistake: assigns the new states to an index of `h0`, which changes the caller's tensor; begin with `h0.clone()`,
or use `torch.where`."""

import torch


def gru_layer(x, lengths, h0, weights):
    w_r, w_z, w_n = weights["weight_hh"].chunk(3)
    b_r, b_z, b_n = weights["bias_hh"].chunk(3)
    h = h0
    outputs = torch.zeros(x.shape[0], x.shape[1], h.shape[1])
    for t in range(x.shape[1]):
        running = t < lengths
        i_r, i_z, i_n = (x[running, t] @ weights["weight_ih"].T + weights["bias_ih"]).chunk(3, dim=1)
        old = h[running]
        r = torch.sigmoid(i_r + old @ w_r.T + b_r)
        z = torch.sigmoid(i_z + old @ w_z.T + b_z)
        n = torch.tanh(i_n + r * (old @ w_n.T + b_n))
        h[running] = (1 - z) * n + z * old
        outputs[running, t] = h[running]
    return {"outputs": outputs, "last": h.clone()}
