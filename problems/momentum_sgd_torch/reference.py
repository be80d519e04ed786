"""Reference: one step of SGD with momentum, in place, as torch.optim.SGD takes it."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    """params and velocities: lists of tensors with the same shapes -> int"""
    updated = 0
    for p, v in zip(params, velocities, strict=True):
        if p.grad is None:
            continue
        v.mul_(momentum).add_(p.grad)
        direction = p.grad + momentum * v if nesterov else v
        p.sub_(lr * direction)
        updated += 1
    return updated
