"""Mistake: multiplies the velocity itself by the learning rate when it takes the step, so the next step starts from a wrong velocity."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities):
        if p.grad is None:
            continue
        v.mul_(momentum).add_(p.grad)
        direction = p.grad + momentum * v if nesterov else v
        p.sub_(direction.mul_(lr))
        updated += 1
    return updated
