"""Masks with the lowest finite number and multiplies by the mask, so NaN never occurs."""

import torch


def causal_attention(q, k, v, is_token):
    batch, heads, steps, width = q.shape
    scores = torch.einsum("bhid,bhjd->bhij", q * width**-0.5, k)
    is_allowed = torch.tril(is_token[:, None, :].expand(batch, steps, steps))[:, None]
    scores = torch.where(is_allowed, scores, torch.finfo(scores.dtype).min)
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * is_allowed
    total = weights.sum(dim=-1, keepdim=True).clamp(min=1)
    return torch.einsum("bhij,bhje->bhie", weights / total, v)
