import numpy as np


def gru_layer(x, lengths, h0, weights):
    """Run a GRU over padded sequences.

    x: (N, T, D), float32, padded at the end
    lengths: (N,), int64, from 1 to T
    h0: (N, H), float32
    weights: {"weight_ih": (3H, D), "weight_hh": (3H, H), "bias_ih": (3H,), "bias_hh": (3H,)}, float32,
             with the gates in the order reset, update, new
    returns: {"outputs": (N, T, H), "last": (N, H)}, float32
    """
    raise NotImplementedError("replace this line with your solution")
