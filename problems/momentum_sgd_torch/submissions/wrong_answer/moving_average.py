"""Mistake: multiplies the gradient by 1 - momentum on its way into the velocity; here the gradient counts fully."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities):
        if p.grad is None:
            continue
        v.mul_(momentum).add_(p.grad, alpha=1 - momentum)
        direction = p.grad + momentum * v if nesterov else v
        p.sub_(lr * direction)
        updated += 1
    return updated
