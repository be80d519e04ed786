"""Right: copies both arrays once and works in place from there; float64 inside."""

import numpy as np


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    theta = params.astype(np.float64)
    v = velocity.astype(np.float64)
    step = np.empty_like(v)
    for t in range(grads.shape[0]):
        v *= momentum
        v += grads[t]
        step[:] = v
        if nesterov:
            step *= momentum
            step += grads[t]
        theta -= lr * step
    return {"params": theta.astype(np.float32), "velocity": v.astype(np.float32)}
