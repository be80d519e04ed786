"""Mistake: takes the plain momentum step also with nesterov=True; Nesterov's direction is the gradient plus momentum times the new velocity."""


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    for grad in grads:
        velocity = momentum * velocity + grad
        params = params - lr * velocity
    return {"params": params, "velocity": velocity}
