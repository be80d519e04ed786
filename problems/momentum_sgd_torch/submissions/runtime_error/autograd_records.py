"""Mistake: changes a parameter in place while autograd records: RuntimeError. Take the step under torch.no_grad()."""


def momentum_sgd(params, velocities, lr, momentum, nesterov):
    updated = 0
    for p, v in zip(params, velocities):
        if p.grad is None:
            continue
        v.mul_(momentum).add_(p.grad)
        direction = p.grad + momentum * v if nesterov else v
        p.sub_(lr * direction)
        updated += 1
    return updated
