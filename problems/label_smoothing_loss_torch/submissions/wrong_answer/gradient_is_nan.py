"""Mistake: takes the logarithm of probabilities that are 0 and hides the result afterwards; the value is right, but the gradient is NaN, because the derivative of the logarithm is infinite at 0."""

import torch


def label_smoothing_loss(logits, labels, allowed, smoothing):
    p = torch.softmax(logits.masked_fill(~allowed, -torch.inf), dim=1)
    log_p = torch.where(allowed, torch.log(p), 0.0)
    of_label = log_p.gather(1, labels[:, None]).squeeze(1)
    of_allowed = log_p.sum(dim=1) / allowed.sum(dim=1)
    return -torch.mean((1.0 - smoothing) * of_label + smoothing * of_allowed)
