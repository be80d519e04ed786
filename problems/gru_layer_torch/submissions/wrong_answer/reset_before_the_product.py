"""Mistake: multiplies the state by the reset gate before the matrix product; PyTorch's gate multiplies the finished
product with its bias."""

import torch


def gru_layer(x, lengths, h0, weights):
    w_r, w_z, w_n = weights["weight_hh"].chunk(3)
    b_r, b_z, b_n = weights["bias_hh"].chunk(3)
    h, outputs = h0, []
    for t in range(x.shape[1]):
        i_r, i_z, i_n = (x[:, t] @ weights["weight_ih"].T + weights["bias_ih"]).chunk(3, dim=1)
        r = torch.sigmoid(i_r + h @ w_r.T + b_r)
        z = torch.sigmoid(i_z + h @ w_z.T + b_z)
        n = torch.tanh(i_n + (r * h) @ w_n.T + b_n)
        running = (t < lengths)[:, None]
        new = (1 - z) * n + z * h
        outputs.append(torch.where(running, new, 0.0))
        h = torch.where(running, new, h)
    return {"outputs": torch.stack(outputs, dim=1), "last": h}
