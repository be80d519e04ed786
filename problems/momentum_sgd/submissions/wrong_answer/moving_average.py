"""Mistake: multiplies the gradient by 1 - momentum on its way into the velocity; here the gradient counts fully."""


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    for grad in grads:
        velocity = momentum * velocity + (1 - momentum) * grad
        direction = grad + momentum * velocity if nesterov else velocity
        params = params - lr * direction
    return {"params": params, "velocity": velocity}
