"""Right: collects the parameters with gradients, and works on the lists with torch._foreach operations."""

import torch


def momentum_sgd(params, velocities, lr, momentum, nesterov):
    pairs = [(p, v) for p, v in zip(params, velocities) if p.grad is not None]
    if not pairs:
        return 0
    with torch.no_grad():
        moving = [p for p, _ in pairs]
        speeds = [v for _, v in pairs]
        grads = [p.grad for p in moving]
        torch._foreach_mul_(speeds, momentum)
        torch._foreach_add_(speeds, grads)
        directions = torch._foreach_add(grads, speeds, alpha=momentum) if nesterov else speeds
        torch._foreach_add_(moving, directions, alpha=-lr)
    return len(pairs)
