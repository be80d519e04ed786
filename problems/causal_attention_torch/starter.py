import torch


def causal_attention(q, k, v, is_token):
    """Attention of every head, in which position i sees the tokens at positions 0 to i.

    q: (B, H, T, D), float32
    k: (B, H, T, D), float32
    v: (B, H, T, E), float32
    is_token: (B, T), bool, false for padding
    returns: (B, H, T, E), float32, 0 for a query that may attend to nothing
    """
    raise NotImplementedError("replace this line with your solution")
