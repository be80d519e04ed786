"""Mistake: runs the layer over the padding, so `last` is wrong for short sequences; pack the batch, or stop each
sequence at its own length."""

import torch


@torch.no_grad()
def gru_layer(x, lengths, h0, weights):
    layer = torch.nn.GRU(x.shape[2], h0.shape[1], batch_first=True)
    layer.load_state_dict({f"{name}_l0": tensor for name, tensor in weights.items()})
    outputs, last = layer(x, h0[None])
    is_padding = torch.arange(x.shape[1]) >= lengths[:, None]
    return {"outputs": outputs.masked_fill(is_padding[:, :, None], 0), "last": last[0]}
