"""Mistake: returns the heads in another order, first of each group first; row h of the answer belongs to query head h."""

import numpy as np


def grouped_query_attention(q, k, v):
    heads, steps, width = q.shape
    groups, keys, _ = k.shape
    q = q.reshape(groups, heads // groups, steps, width)
    scores = q @ k[:, None].swapaxes(2, 3) / np.float32(np.sqrt(width))
    is_visible = np.arange(keys) <= np.arange(keys - steps, keys)[:, None]
    weights = softmax(np.where(is_visible, scores, -np.inf))
    return (weights @ v[:, None]).swapaxes(0, 1).reshape(heads, steps, v.shape[2])


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
