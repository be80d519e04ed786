"""Mistake: calls masked_fill and does not use its result; it returns a new tensor and leaves the scores as they are."""

import torch


def causal_attention(q, k, v, is_token):
    steps, width = q.shape[-2:]
    scores = q @ k.mT / width**0.5
    is_allowed = torch.ones(steps, steps, dtype=torch.bool).tril() & is_token[:, None, None, :]
    scores.masked_fill(~is_allowed, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    has_key = is_allowed.any(dim=-1, keepdim=True)
    return torch.where(has_key, weights, 0) @ v
