"""Mistake: gives the label no part of the smoothing; all allowed classes share it, the label too."""

import numpy as np


def label_smoothing_loss(logits, labels, allowed, smoothing):
    masked = np.where(allowed, logits, -np.inf)
    shifted = masked - masked.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    of_label = log_p[np.arange(len(labels)), labels]
    of_allowed = (np.where(allowed, log_p, 0.0).sum(axis=1) - of_label) / np.maximum(allowed.sum(axis=1) - 1, 1)
    return -np.mean((1.0 - smoothing) * of_label + smoothing * of_allowed)
