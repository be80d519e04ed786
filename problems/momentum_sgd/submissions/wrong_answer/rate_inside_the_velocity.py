"""Mistake: puts the learning rate into the velocity; here the velocity is a sum of gradients, and the rate multiplies the step."""


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    for grad in grads:
        velocity = momentum * velocity + lr * grad
        params = params - (lr * grad + momentum * velocity if nesterov else velocity)
    return {"params": params, "velocity": velocity}
