"""Mistake: multiplies the infinite log-probabilities of impossible classes by 0, which is NaN; replace them before."""

import torch


def label_smoothing_loss(logits, labels, allowed, smoothing):
    masked = logits.masked_fill(~allowed, -torch.inf)
    log_p = torch.log_softmax(masked, dim=1)
    of_label = log_p.gather(1, labels[:, None]).squeeze(1)
    of_allowed = (allowed * log_p).sum(dim=1) / allowed.sum(dim=1)
    return -torch.mean((1.0 - smoothing) * of_label + smoothing * of_allowed)
