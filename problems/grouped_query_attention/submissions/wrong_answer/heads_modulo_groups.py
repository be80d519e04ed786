"""Mistake: gives query head h the keys of head h modulo G; neighbouring query heads share keys, so divide h by H/G."""

import numpy as np


def grouped_query_attention(q, k, v):
    heads, steps, width = q.shape
    groups, keys, _ = k.shape
    k, v = np.tile(k, (heads // groups, 1, 1)), np.tile(v, (heads // groups, 1, 1))
    scores = q @ k.swapaxes(1, 2) / np.float32(np.sqrt(width))
    is_visible = np.arange(keys) <= np.arange(keys - steps, keys)[:, None]
    weights = softmax(np.where(is_visible, scores, -np.inf))
    return weights @ v


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
