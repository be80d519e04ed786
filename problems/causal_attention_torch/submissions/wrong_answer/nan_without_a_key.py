"""Mistake: gives NaN to a query that may attend to nothing, because softmax of a row of -inf is NaN; the answer there is 0."""

import torch


def causal_attention(q, k, v, is_token):
    steps, width = q.shape[-2:]
    scores = q @ k.mT / width**0.5
    is_allowed = torch.ones(steps, steps, dtype=torch.bool).tril() & is_token[:, None, None, :]
    return torch.softmax(scores.masked_fill(~is_allowed, -torch.inf), dim=-1) @ v
