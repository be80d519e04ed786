"""Mistake: keeps the learning rate and the minus sign in the velocity; here the velocity is made of gradients only."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities, strict=True):
        if p.grad is None:
            continue
        v.mul_(momentum).sub_(lr * p.grad)
        p.add_(momentum * v - lr * p.grad if nesterov else v)
        updated += 1
    return updated
