"""The library's layer on a packed batch."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@torch.no_grad()
def gru_layer(x, lengths, h0, weights):
    layer = torch.nn.GRU(x.shape[2], h0.shape[1], batch_first=True)
    layer.load_state_dict({f"{name}_l0": tensor for name, tensor in weights.items()})
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    outputs, last = layer(packed, h0[None])
    outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])
    return {"outputs": outputs, "last": last[0]}
