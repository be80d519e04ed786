"""Reference: SGD with momentum, in the form that PyTorch and Optax use."""

import numpy as np


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    """params and velocity: (N,), grads: (T, N) -> {"params": (N,), "velocity": (N,)}"""
    lr, momentum = np.float32(lr), np.float32(momentum)
    for grad in grads:
        velocity = momentum * velocity + grad
        direction = grad + momentum * velocity if nesterov else velocity
        params = params - lr * direction
    return {"params": params, "velocity": velocity}
