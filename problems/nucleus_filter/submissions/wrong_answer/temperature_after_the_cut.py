"""Mistake: chooses the tokens without the temperature and applies it afterwards; the temperature comes first and changes the choice."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    p = softmax(logits)
    order = np.argsort(-p, axis=1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=1)
    is_kept = np.zeros(p.shape, dtype=bool)
    np.put_along_axis(is_kept, order, np.cumsum(ranked, axis=1) - ranked < top_p, axis=1)
    kept = np.where(is_kept, softmax(logits / temperature), 0)
    return kept / kept.sum(axis=1, keepdims=True)


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
