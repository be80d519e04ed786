"""Copies each head of keys and values for its query heads, then runs ordinary attention."""

import numpy as np


def grouped_query_attention(q, k, v):
    size = len(q) // len(k)
    k, v = np.repeat(k, size, axis=0), np.repeat(v, size, axis=0)
    scores = np.einsum("htd,hsd->hts", q, k) * np.float32(q.shape[-1] ** -0.5)
    future = np.triu(np.ones(scores.shape[1:], dtype=bool), k=k.shape[1] - q.shape[1] + 1)
    scores[:, future] = np.float32(-1e30)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("hts,hse->hte", weights, v) / weights.sum(axis=-1, keepdims=True)
