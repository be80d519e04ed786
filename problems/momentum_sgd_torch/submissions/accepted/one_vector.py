"""Lays all tensors side by side in one vector, takes the step there, and copies the parts back."""

import torch


@torch.no_grad()
def momentum_sgd(params, velocities, lr, momentum, nesterov):
    moving = [(p, v) for p, v in zip(params, velocities, strict=True) if p.grad is not None]
    if not moving:
        return 0
    value, velocity, gradient = (
        torch.cat([tensor.flatten() for tensor in tensors])
        for tensors in zip(*((p, v, p.grad) for p, v in moving), strict=True)
    )
    velocity = momentum * velocity + gradient
    value = value - lr * (gradient + momentum * velocity if nesterov else velocity)
    sizes = [p.numel() for p, _ in moving]
    for (p, v), new_p, new_v in zip(moving, value.split(sizes), velocity.split(sizes), strict=True):
        p.copy_(new_p.view_as(p))
        v.copy_(new_v.view_as(v))
    return len(moving)
