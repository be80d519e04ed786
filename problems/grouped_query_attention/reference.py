"""Grouped-query attention for the last positions of a sequence, with a causal mask."""

import numpy as np


def grouped_query_attention(q, k, v):
    """q: (H, T, D), k: (G, S, D), v: (G, S, E) → (H, T, E)."""
    heads, steps, width = q.shape
    groups, keys, _ = k.shape
    q = q.reshape(groups, heads // groups, steps, width)  # neighbouring heads share keys and values
    scores = q @ k[:, None].swapaxes(2, 3) / np.float32(np.sqrt(width))  # (G, H / G, T, S)
    position = np.arange(steps) + keys - steps
    is_visible = np.arange(keys) <= position[:, None]
    weights = softmax(np.where(is_visible, scores, -np.inf))
    return (weights @ v[:, None]).reshape(heads, steps, v.shape[2])


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
