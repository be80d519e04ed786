"""Mistake: steps with the velocity from before this gradient; update the velocity first, and then step."""


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    for grad in grads:
        direction = grad + momentum * velocity if nesterov else velocity
        params = params - lr * direction
        velocity = momentum * velocity + grad
    return {"params": params, "velocity": velocity}
