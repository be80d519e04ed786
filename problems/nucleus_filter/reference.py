"""Top-p (nucleus) filter: cut the tail of each distribution after the tokens that reach top_p."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    """logits: (B, V) → probabilities: (B, V), 0 outside the nucleus."""
    probabilities = softmax(logits / temperature)
    order = np.argsort(-probabilities, axis=1, kind="stable")
    ranked = np.take_along_axis(probabilities, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked  # what the more probable tokens have reached
    kept = np.where(before < top_p, ranked, 0)
    nucleus = np.empty_like(kept)
    np.put_along_axis(nucleus, order, kept / kept.sum(axis=1, keepdims=True), axis=1)
    return nucleus


def softmax(scores):
    """Row by row; the largest score is subtracted so that exp does not overflow."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
