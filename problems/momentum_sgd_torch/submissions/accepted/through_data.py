"""Right: writes through `.data`, which autograd does not see; new values are copied into the old tensors."""


def momentum_sgd(params, velocities, lr, momentum, nesterov):
    count = 0
    for i in range(len(params)):
        grad = params[i].grad
        if grad is not None:
            count += 1
            new_velocity = momentum * velocities[i] + grad
            velocities[i].copy_(new_velocity)
            step = lr * new_velocity
            if nesterov:
                step = lr * grad + lr * momentum * new_velocity
            params[i].data.copy_(params[i].data - step)
    return count
