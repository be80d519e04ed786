"""Right: the formulas in plain Python, one parameter after the other."""

import math

import numpy as np


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    rows = []
    for theta, mean, square, g in zip(params.tolist(), m.tolist(), v.tolist(), grads.tolist()):
        mean = beta1 * mean + (1 - beta1) * g
        square = beta2 * square + (1 - beta2) * g * g
        corrected = mean / (1 - math.pow(beta1, step))
        size = math.sqrt(square / (1 - math.pow(beta2, step)))
        rows.append((theta - lr * weight_decay * theta - lr * corrected / (size + eps), mean, square))
    new_params, new_m, new_v = np.array(rows, dtype=np.float32).T
    return {"params": new_params, "m": new_m, "v": new_v}
