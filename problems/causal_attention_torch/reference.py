"""Scaled dot-product attention of many heads with a causal mask and a padding mask."""

import torch


def causal_attention(q, k, v, is_token):
    """q, k: (B, H, T, D), v: (B, H, T, E), is_token: (B, T) → (B, H, T, E)."""
    steps, width = q.shape[-2:]
    scores = q @ k.mT / width**0.5  # (B, H, T, T): queries in rows, keys in columns
    is_causal = torch.ones(steps, steps, dtype=torch.bool, device=q.device).tril()
    is_allowed = is_causal & is_token[:, None, None, :]
    weights = torch.softmax(scores.masked_fill(~is_allowed, -torch.inf), dim=-1)
    has_key = is_allowed.any(dim=-1, keepdim=True)
    return torch.where(has_key, weights, 0) @ v  # a row without a key is NaN after the softmax
