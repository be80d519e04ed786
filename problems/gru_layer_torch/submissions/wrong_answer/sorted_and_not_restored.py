"""Mistake: sorts the batch by length and returns it sorted; restore the order of outputs and states."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@torch.no_grad()
def gru_layer(x, lengths, h0, weights):
    layer = torch.nn.GRU(x.shape[2], h0.shape[1], batch_first=True)
    layer.load_state_dict({f"{name}_l0": tensor for name, tensor in weights.items()})
    lengths, order = lengths.sort(descending=True, stable=True)
    packed = pack_padded_sequence(x[order], lengths, batch_first=True)
    outputs, last = layer(packed, h0[order][None])
    return {"outputs": pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])[0], "last": last[0]}
