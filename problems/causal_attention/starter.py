import numpy as np


def causal_attention(q, k, v, is_token):
    """Attention in which position i sees the tokens at positions 0 to i.

    q: (B, T, D), float32
    k: (B, T, D), float32
    v: (B, T, E), float32
    is_token: (B, T), bool, false for padding
    returns: (B, T, E), float32, 0 for a query that may attend to nothing
    """
    raise NotImplementedError("replace this line with your solution")
