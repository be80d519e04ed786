"""Mistake: returns the probabilities in sorted order; column j of the answer belongs to token j."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    ranked = -np.sort(-softmax(logits / temperature), axis=1)
    kept = np.where(np.cumsum(ranked, axis=1) - ranked < top_p, ranked, 0)
    return kept / kept.sum(axis=1, keepdims=True)


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
