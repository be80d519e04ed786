"""Right: shrinks the parameters by one factor, and then moves them; averages move towards the new value; float64 inside."""

import numpy as np


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    g = grads.astype(np.float64)
    first = m + (1 - beta1) * (g - m)
    second = v + (1 - beta2) * (g * g - v)
    shrunk = params * (1 - lr * weight_decay)
    scale = np.sqrt(second) / np.sqrt(1 - beta2**step) + eps
    moved = shrunk - lr / (1 - beta1**step) * first / scale
    return {"params": moved.astype(np.float32), "m": first.astype(np.float32), "v": second.astype(np.float32)}
