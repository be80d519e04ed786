"""Mistake: returns the softmax and leaves out the label's own logit, which subtracts 1 at the right class."""

import numpy as np


def cross_entropy_gradient(logits, labels):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) / len(labels)
