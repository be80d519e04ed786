"""Mistake: removes the token that crosses top_p; the kept tokens must reach top_p, so the sum before a token decides."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    p = softmax(logits / temperature)
    order = np.argsort(-p, axis=1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=1)
    is_kept = np.cumsum(ranked, axis=1) <= top_p
    is_kept[:, 0] = True
    kept = np.where(is_kept, ranked, 0)
    answer = np.zeros_like(p)
    np.put_along_axis(answer, order, kept / kept.sum(axis=1, keepdims=True), axis=1)
    return answer


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
