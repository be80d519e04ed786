"""Mistake: joins the heads of the answer in another order, first of each group first; head h of the answer belongs to query head h."""

import torch
from torch.nn.functional import scaled_dot_product_attention


def grouped_query_attention(q, k, v):
    heads, steps, width = q.shape[1:]
    groups, keys = k.shape[1:3]
    size = heads // groups
    k, v = k.repeat_interleave(size, dim=1), v.repeat_interleave(size, dim=1)
    is_visible = torch.ones(steps, keys, dtype=torch.bool).tril(keys - steps)
    answer = scaled_dot_product_attention(q, k, v, attn_mask=is_visible)
    return answer.unflatten(1, (groups, size)).transpose(1, 2).flatten(1, 2)
