"""Mistake: returns a new tensor with the loss's value and no graph, so backward() has nothing to go through: RuntimeError."""

import torch


def label_smoothing_loss(logits, labels, allowed, smoothing):
    log_p = torch.log_softmax(logits.masked_fill(~allowed, -torch.inf), dim=1)
    total = 0.0
    for row, label, possible in zip(log_p, labels, allowed):
        total -= (1 - smoothing) * row[label].item() + smoothing * row[possible].mean().item()
    return torch.tensor(total / len(labels))
