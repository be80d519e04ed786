import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def gru_layer(x, lengths, h0, weights):
    """Run a GRU over padded sequences.

    x: (N, T, D), torch.float32, padded at the end
    lengths: (N,), torch.int64, from 1 to T
    h0: (N, H), torch.float32
    weights: {"weight_ih": (3H, D), "weight_hh": (3H, H), "bias_ih": (3H,), "bias_hh": (3H,)}, torch.float32,
             in the layout of torch.nn.GRU
    returns: {"outputs": (N, T, H), "last": (N, H)}, torch.float32
    """
    raise NotImplementedError("replace this line with your solution")
