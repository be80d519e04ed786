"""Mistake: swaps the shares: the label gets the smoothing, and all classes share the rest."""

import numpy as np


def label_smoothing_loss(logits, labels, allowed, smoothing):
    masked = np.where(allowed, logits, -np.inf)
    shifted = masked - masked.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    of_label = log_p[np.arange(len(labels)), labels]
    of_allowed = np.where(allowed, log_p, 0.0).sum(axis=1) / allowed.sum(axis=1)
    return -np.mean(smoothing * of_label + (1.0 - smoothing) * of_allowed)
