"""Mistake: places the queries at the first positions; they are the last T of S positions and see more keys."""

import numpy as np


def grouped_query_attention(q, k, v):
    heads, steps, width = q.shape
    groups, keys, _ = k.shape
    q = q.reshape(groups, heads // groups, steps, width)
    scores = q @ k[:, None].swapaxes(2, 3) / np.float32(np.sqrt(width))
    is_visible = np.tril(np.ones((steps, keys), dtype=bool))
    weights = softmax(np.where(is_visible, scores, -np.inf))
    return (weights @ v[:, None]).reshape(heads, steps, v.shape[2])


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
