"""Mistake: takes the exponential of the logits as they are, which overflows for large ones; subtract the largest allowed logit of the row first."""

import numpy as np


def label_smoothing_loss(logits, labels, allowed, smoothing):
    masked = np.where(allowed, logits, -np.inf)
    shifted = masked - 0.0
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    of_label = log_p[np.arange(len(labels)), labels]
    of_allowed = np.where(allowed, log_p, 0.0).sum(axis=1) / allowed.sum(axis=1)
    return -np.mean((1.0 - smoothing) * of_label + smoothing * of_allowed)
