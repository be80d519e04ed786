"""Mistake: computes the gradient of the summed loss; the loss is the mean over the N examples."""

import numpy as np


def cross_entropy_gradient(logits, labels):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    gradient = powers / powers.sum(axis=1, keepdims=True)
    gradient[np.arange(len(labels)), labels] -= 1
    return gradient
