"""Mistake: begins with a velocity of zero; the argument `velocity` holds what earlier steps have collected."""

import numpy as np


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    velocity = np.zeros_like(params)
    for grad in grads:
        velocity = momentum * velocity + grad
        direction = grad + momentum * velocity if nesterov else velocity
        params = params - lr * direction
    return {"params": params, "velocity": velocity}
