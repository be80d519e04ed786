"""Mistake: subtracts one maximum from the whole array, so a row far below it becomes 0 divided by 0; each row has its own maximum."""

import numpy as np


def cross_entropy_gradient(logits, labels):
    powers = np.exp(logits - logits.max())
    gradient = powers / powers.sum(axis=1, keepdims=True)
    gradient[np.arange(len(labels)), labels] -= 1
    return gradient / len(labels)
