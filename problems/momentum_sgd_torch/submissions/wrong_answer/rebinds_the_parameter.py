"""Mistake: makes new parameters and leaves the model's tensors as they were; the step must write into the tensor itself."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities):
        if p.grad is None:
            continue
        v.mul_(momentum).add_(p.grad)
        direction = p.grad + momentum * v if nesterov else v
        p = p - lr * direction
        updated += 1
    return updated
