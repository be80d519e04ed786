import numpy as np


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    """Take one step of AdamW.

    params:       (N,), float32, the parameters before the step
    m, v:         (N,), float32, running means of the gradients and of their squares
    grads:        (N,), float32, the gradient of this step
    step:         int, the number of this step, counted from 1
    lr:           float
    beta1, beta2: float, the decays of m and v
    eps:          float, above 0
    weight_decay: float, not negative
    returns:      {"params": (N,), "m": (N,), "v": (N,)}, float32, after the step
    """
    raise NotImplementedError("replace this line with your solution")
