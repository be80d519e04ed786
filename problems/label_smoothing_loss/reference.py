"""Reference: cross-entropy against smoothed labels, over the allowed classes of each example."""

import numpy as np


def label_smoothing_loss(logits, labels, allowed, smoothing):
    """logits: (N, C), labels: (N,), allowed: (N, C) -> ()"""
    masked = np.where(allowed, logits, -np.inf)
    shifted = masked - masked.max(axis=1, keepdims=True)  # the largest allowed logit of each row becomes 0
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))  # -inf for impossible classes
    of_label = np.take_along_axis(log_p, labels[:, None], axis=1)[:, 0]  # (N,)
    of_allowed = np.where(allowed, log_p, 0.0).sum(axis=1) / allowed.sum(axis=1, dtype=np.float32)  # (N,)
    return -np.mean((1.0 - smoothing) * of_label + smoothing * of_allowed)
