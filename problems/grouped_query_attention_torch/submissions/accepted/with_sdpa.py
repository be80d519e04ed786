"""Copies each head of keys for its query heads, and calls scaled_dot_product_attention with a mask."""

import torch
from torch.nn.functional import scaled_dot_product_attention


def grouped_query_attention(q, k, v):
    size = q.shape[1] // k.shape[1]
    steps, keys = q.shape[2], k.shape[2]
    position = torch.arange(keys - steps, keys, device=q.device)
    is_visible = torch.arange(keys, device=q.device) <= position[:, None]
    k, v = k.repeat_interleave(size, dim=1), v.repeat_interleave(size, dim=1)
    return scaled_dot_product_attention(q, k, v, attn_mask=is_visible)
