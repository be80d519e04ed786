"""Mistake: ranks the tokens of all rows together; every row has a nucleus of its own."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    p = softmax(logits / temperature)
    flat = p.ravel() / len(p)
    order = np.argsort(-flat, kind="stable")
    ranked = flat[order]
    is_kept = np.zeros(flat.shape, dtype=bool)
    is_kept[order] = np.cumsum(ranked) - ranked < top_p
    kept = np.where(is_kept.reshape(p.shape), p, 0)
    return kept / np.maximum(kept.sum(axis=1, keepdims=True), 1e-12)


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
