"""Mistake: subtracts the weight decay without the learning rate; both parts of the step have the factor lr."""

import numpy as np


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    m = beta1 * m + (1 - beta1) * grads
    v = beta2 * v + (1 - beta2) * grads**2
    m_hat = m / (1 - beta1**step)
    v_hat = v / (1 - beta2**step)
    direction = m_hat / (np.sqrt(v_hat) + eps)
    params = params - lr * direction - weight_decay * params
    return {"params": params, "m": m, "v": v}
