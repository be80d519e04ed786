"""Softmax over rows, shifted by each row's largest logit."""

import numpy as np


def stable_softmax(logits, temperature):
    """logits: (N, K), -inf for masked classes; returns (N, K)."""
    largest = logits.max(axis=1, keepdims=True)
    shift = np.where(np.isneginf(largest), 0, largest)  # a row without an allowed class
    powers = np.exp((logits - shift) / temperature)
    total = powers.sum(axis=1, keepdims=True)
    return powers / np.where(total == 0, 1, total)
