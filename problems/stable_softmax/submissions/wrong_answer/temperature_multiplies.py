"""Mistake: multiplies by the temperature. The logits are divided by it."""

import numpy as np


def stable_softmax(logits, temperature):
    largest = logits.max(axis=1, keepdims=True)
    powers = np.exp((logits - np.where(np.isneginf(largest), 0, largest)) * temperature)
    total = powers.sum(axis=1, keepdims=True)
    return powers / np.where(total == 0, 1, total)
