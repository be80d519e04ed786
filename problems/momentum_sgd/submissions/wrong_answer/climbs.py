"""Mistake: adds the step, and so climbs the loss; gradient descent subtracts it."""


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    for grad in grads:
        velocity = momentum * velocity + grad
        direction = grad + momentum * velocity if nesterov else velocity
        params = params + lr * direction
    return {"params": params, "velocity": velocity}
