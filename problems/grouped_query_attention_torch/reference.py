"""Grouped-query attention for the last positions of a sequence, without copies of keys and values."""

import torch


def grouped_query_attention(q, k, v):
    """q: (B, H, T, D), k: (B, G, S, D), v: (B, G, S, E) → (B, H, T, E)."""
    heads, steps, width = q.shape[1:]
    groups, keys = k.shape[1:3]
    q = q.unflatten(1, (groups, heads // groups))  # (B, G, H / G, T, D): neighbouring heads share keys
    scores = q @ k[:, :, None].mT / width**0.5  # (B, G, H / G, T, S)
    is_visible = torch.ones(steps, keys, dtype=torch.bool, device=q.device).tril(keys - steps)
    weights = torch.softmax(scores.masked_fill(~is_visible, -torch.inf), dim=-1)
    return (weights @ v[:, :, None]).flatten(1, 2)
