"""Passes one combined mask to scaled_dot_product_attention, and clears the rows without a key."""

import torch
from torch.nn.functional import scaled_dot_product_attention


def causal_attention(q, k, v, is_token):
    steps = q.size(2)
    position = torch.arange(steps, device=q.device)
    is_allowed = (position[:, None] >= position) & is_token.view(-1, 1, 1, steps)
    answer = scaled_dot_product_attention(q, k, v, attn_mask=is_allowed)
    return torch.where(is_allowed.any(-1, keepdim=True), answer, torch.zeros_like(answer))
