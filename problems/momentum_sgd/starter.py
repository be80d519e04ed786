import numpy as np


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    """Take T steps of SGD with momentum.

    params:   (N,), float32, the parameters before the first step
    velocity: (N,), float32, the velocity before the first step
    grads:    (T, N), float32, one gradient for each step
    lr:       float, above 0
    momentum: float, from 0 to below 1
    nesterov: bool, whether to take Nesterov's step
    returns: {"params": (N,), "velocity": (N,)}, float32, after the last step
    """
    raise NotImplementedError("replace this line with your solution")
