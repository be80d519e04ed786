"""Mistake: takes the plain momentum step also with nesterov=True; Nesterov's direction is the gradient plus momentum times the new velocity."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities):
        if p.grad is None:
            continue
        v.mul_(momentum).add_(p.grad)
        p.sub_(lr * v)
        updated += 1
    return updated
