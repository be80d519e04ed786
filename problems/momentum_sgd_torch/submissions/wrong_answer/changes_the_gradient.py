"""Mistake: builds Nesterov's direction inside `.grad`, and so changes the gradient that the caller still needs."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities):
        if p.grad is None:
            continue
        v.mul_(momentum).add_(p.grad)
        direction = p.grad.add_(v, alpha=momentum) if nesterov else v
        p.sub_(lr * direction)
        updated += 1
    return updated
