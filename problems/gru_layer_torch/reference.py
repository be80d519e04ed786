"""A GRU layer over padded sequences, step by step with a mask."""

import torch


def gru_layer(x, lengths, h0, weights):
    """x: (N, T, D), lengths: (N,), h0: (N, H); returns outputs (N, T, H) and the last states (N, H)."""
    h, outputs = h0, []
    for t in range(x.shape[1]):
        is_running = (t < lengths)[:, None]
        new = gru_step(x[:, t], h, weights)
        outputs.append(torch.where(is_running, new, 0.0))
        h = torch.where(is_running, new, h)
    return {"outputs": torch.stack(outputs, dim=1), "last": h}


def gru_step(x, h, weights):
    """x: (N, D), h: (N, H); returns the next states (N, H)."""
    from_x = torch.nn.functional.linear(x, weights["weight_ih"], weights["bias_ih"])
    from_h = torch.nn.functional.linear(h, weights["weight_hh"], weights["bias_hh"])
    x_reset, x_update, x_new = from_x.chunk(3, dim=1)
    h_reset, h_update, h_new = from_h.chunk(3, dim=1)
    r = torch.sigmoid(x_reset + h_reset)
    z = torch.sigmoid(x_update + h_update)
    n = torch.tanh(x_new + r * h_new)
    return (1 - z) * n + z * h
