"""Mistake: exponentiates the logits as they are, which overflows or divides 0 by 0; subtract each row's maximum first."""

import numpy as np


def cross_entropy_gradient(logits, labels):
    powers = np.exp(logits)
    gradient = powers / powers.sum(axis=1, keepdims=True)
    gradient[np.arange(len(labels)), labels] -= 1
    return gradient / len(labels)
