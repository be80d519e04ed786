"""Mistake: ignores the smoothing, and computes the plain cross-entropy."""

import numpy as np


def label_smoothing_loss(logits, labels, allowed, smoothing):
    masked = np.where(allowed, logits, -np.inf)
    shifted = masked - masked.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    of_label = log_p[np.arange(len(labels)), labels]
    of_allowed = of_label
    return -np.mean((1.0 - smoothing) * of_label + smoothing * of_allowed)
