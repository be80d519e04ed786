"""Runs each gate by hand over all steps, and picks the output at the end of each sequence for its last state."""

import torch


def gru_layer(x, lengths, h0, weights):
    w_r, w_z, w_n = weights["weight_hh"].chunk(3)
    b_r, b_z, b_n = weights["bias_hh"].chunk(3)
    inputs = torch.einsum("ntd,gd->tng", x, weights["weight_ih"]) + weights["bias_ih"]
    h, states = h0, []
    for of_step in inputs:
        i_r, i_z, i_n = of_step.split(h0.shape[1], dim=1)
        r = (i_r + h @ w_r.T + b_r).sigmoid()
        z = (i_z + h @ w_z.T + b_z).sigmoid()
        h = torch.lerp((i_n + r * (h @ w_n.T + b_n)).tanh(), h, z)
        states.append(h)
    outputs = torch.stack(states, dim=1)
    last = outputs[torch.arange(len(x)), lengths - 1]
    is_padding = torch.arange(x.shape[1]) >= lengths[:, None]
    return {"outputs": outputs.masked_fill(is_padding[:, :, None], 0), "last": last}
