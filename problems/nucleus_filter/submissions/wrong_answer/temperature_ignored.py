"""Mistake: does not use the temperature; divide the logits by it before the softmax."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    p = softmax(logits)
    order = np.argsort(-p, axis=1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=1)
    kept = np.where(np.cumsum(ranked, axis=1) - ranked < top_p, ranked, 0)
    answer = np.zeros_like(p)
    np.put_along_axis(answer, order, kept / kept.sum(axis=1, keepdims=True), axis=1)
    return answer


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
