"""Mistake: unpacks without `total_length`, so the outputs have only as many steps as the longest sequence; they
need all T steps."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@torch.no_grad()
def gru_layer(x, lengths, h0, weights):
    layer = torch.nn.GRU(x.shape[2], h0.shape[1], batch_first=True)
    layer.load_state_dict({f"{name}_l0": tensor for name, tensor in weights.items()})
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    outputs, last = layer(packed, h0[None])
    return {"outputs": pad_packed_sequence(outputs, batch_first=True)[0], "last": last[0]}
