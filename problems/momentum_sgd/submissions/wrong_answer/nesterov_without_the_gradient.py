"""Mistake: leaves the gradient out of Nesterov's direction and takes momentum times the velocity alone; the gradient itself belongs to it too."""


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    for grad in grads:
        velocity = momentum * velocity + grad
        direction = momentum * velocity if nesterov else velocity
        params = params - lr * direction
    return {"params": params, "velocity": velocity}
