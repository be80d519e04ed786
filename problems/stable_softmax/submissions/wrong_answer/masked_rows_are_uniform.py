"""Mistake: replaces minus infinity by a large negative number, so a fully masked row gets equal probabilities. Such a row has the answer 0."""

import numpy as np


def stable_softmax(logits, temperature):
    z = np.where(np.isneginf(logits), np.float32(-1e9), logits)
    powers = np.exp((z - z.max(axis=1, keepdims=True)) / temperature)
    return powers / powers.sum(axis=1, keepdims=True)
