"""Mistake: subtracts 1 in whole columns; each row has exactly one right class, so pair the row's index with its label."""

import numpy as np


def cross_entropy_gradient(logits, labels):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    gradient = powers / powers.sum(axis=1, keepdims=True)
    gradient[:, labels] -= 1
    return gradient / len(labels)
