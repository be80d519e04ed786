"""Mistake: moves the mask one position too far, so a query sees the next key; it sees keys up to its own position."""

import torch
from torch.nn.functional import scaled_dot_product_attention


def grouped_query_attention(q, k, v):
    heads, steps, width = q.shape[1:]
    groups, keys = k.shape[1:3]
    size = heads // groups
    k, v = k.repeat_interleave(size, dim=1), v.repeat_interleave(size, dim=1)
    is_visible = torch.ones(steps, keys, dtype=torch.bool).tril(keys - steps + 1)
    return scaled_dot_product_attention(q, k, v, attn_mask=is_visible)
