"""Mistake: normalises each column over the examples; the probabilities of one example, a row, add up to 1."""

import numpy as np


def cross_entropy_gradient(logits, labels):
    powers = np.exp(logits - logits.max(axis=0))
    gradient = powers / powers.sum(axis=0)
    gradient[np.arange(len(labels)), labels] -= 1
    return gradient / len(labels)
