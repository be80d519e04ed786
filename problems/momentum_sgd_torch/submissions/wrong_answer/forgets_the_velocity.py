"""Mistake: computes a new velocity and does not write it into the velocity's tensor, so the next step starts from the old one."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities):
        if p.grad is None:
            continue
        v = momentum * v + p.grad
        direction = p.grad + momentum * v if nesterov else v
        p.sub_(lr * direction)
        updated += 1
    return updated
