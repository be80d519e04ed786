"""Reference: cross-entropy against smoothed labels, over the allowed classes, with a finite gradient."""

import torch


def label_smoothing_loss(logits, labels, allowed, smoothing):
    """logits: (N, C), labels: (N,), allowed: (N, C) -> ()"""
    masked = logits.masked_fill(~allowed, -torch.inf)
    log_p = torch.log_softmax(masked, dim=1)  # -inf for impossible classes
    of_label = log_p.gather(1, labels[:, None]).squeeze(1)  # (N,)
    of_allowed = log_p.masked_fill(~allowed, 0.0).sum(dim=1) / allowed.sum(dim=1)  # (N,)
    return -torch.mean((1.0 - smoothing) * of_label + smoothing * of_allowed)
