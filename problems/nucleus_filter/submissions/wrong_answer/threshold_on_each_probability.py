"""Mistake: keeps the tokens whose own probability is at least top_p; top_p is about the sum of the most probable tokens."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    p = softmax(logits / temperature)
    kept = np.where((p >= top_p) | (p == p.max(axis=1, keepdims=True)), p, 0)
    return kept / kept.sum(axis=1, keepdims=True)


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
