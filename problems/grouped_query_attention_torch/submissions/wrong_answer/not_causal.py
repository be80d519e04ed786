"""Mistake: lets every query see all keys; the first queries must not see keys of later positions."""

from torch.nn.functional import scaled_dot_product_attention


def grouped_query_attention(q, k, v):
    heads, steps, width = q.shape[1:]
    groups, keys = k.shape[1:3]
    size = heads // groups
    k, v = k.repeat_interleave(size, dim=1), v.repeat_interleave(size, dim=1)
    return scaled_dot_product_attention(q, k, v)
