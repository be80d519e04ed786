"""Mistake: treats a missing gradient as zero, so the old velocity moves a frozen parameter; pass over parameters without a gradient."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities):
        grad = torch.zeros_like(p) if p.grad is None else p.grad
        v.mul_(momentum).add_(grad)
        direction = grad + momentum * v if nesterov else v
        p.sub_(lr * direction)
        updated += p.grad is not None
    return int(updated)
