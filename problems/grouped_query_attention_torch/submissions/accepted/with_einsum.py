"""Names every axis in einsum, and adds the mask to the scores."""

import torch


def grouped_query_attention(q, k, v):
    batch, heads, steps, width = q.shape
    groups, keys = k.size(1), k.size(2)
    grouped = (q * width**-0.5).view(batch, groups, -1, steps, width)
    scores = torch.einsum("bgntd,bgsd->bgnts", grouped, k)
    mask = torch.full((steps, keys), float("-inf"), device=q.device).triu(keys - steps + 1)
    scores = scores + mask
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    return torch.einsum("bgnts,bgse->bgnte", weights, v).reshape(batch, heads, steps, -1)
