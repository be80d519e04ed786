"""Mistake: divides the queries by the root of D, and scaled_dot_product_attention divides again; scale only once."""

import torch
from torch.nn.functional import scaled_dot_product_attention


def grouped_query_attention(q, k, v):
    heads, steps, width = q.shape[1:]
    groups, keys = k.shape[1:3]
    size = heads // groups
    q = q / width**0.5
    k, v = k.repeat_interleave(size, dim=1), v.repeat_interleave(size, dim=1)
    is_visible = torch.ones(steps, keys, dtype=torch.bool).tril(keys - steps)
    return scaled_dot_product_attention(q, k, v, attn_mask=is_visible)
