"""Right: the targets add up to 1, so the loss is the log of the normalizer minus the expected logit."""

import torch


def label_smoothing_loss(logits, labels, allowed, smoothing):
    share = smoothing / allowed.sum(dim=1, keepdim=True)
    target = torch.where(allowed, share, 0.0)
    target[torch.arange(len(labels)), labels] += 1.0 - smoothing
    log_normalizer = torch.logsumexp(torch.where(allowed, logits, -torch.inf), dim=1)
    expected = (target * torch.where(allowed, logits, 0.0)).sum(dim=1)
    return (log_normalizer - expected).mean()
