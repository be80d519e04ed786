"""Mistake: lets every query see all keys; the first queries must not see keys of later positions."""

import numpy as np


def grouped_query_attention(q, k, v):
    heads, steps, width = q.shape
    groups, keys, _ = k.shape
    q = q.reshape(groups, heads // groups, steps, width)
    scores = q @ k[:, None].swapaxes(2, 3) / np.float32(np.sqrt(width))
    weights = softmax(scores)
    return (weights @ v[:, None]).reshape(heads, steps, v.shape[2])


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
