"""Mistake: normalises over the rows, so that columns add up to 1. The classes are on axis 1."""

import numpy as np


def stable_softmax(logits, temperature):
    largest = logits.max(axis=0, keepdims=True)
    powers = np.exp((logits - np.where(np.isneginf(largest), 0, largest)) / temperature)
    total = powers.sum(axis=0, keepdims=True)
    return powers / np.where(total == 0, 1, total)
