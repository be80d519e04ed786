"""Right: no loop over steps: velocities are sums of gradients with powers of the momentum, as one matrix product."""

import numpy as np


def momentum_sgd(params, velocity, grads, lr, momentum, nesterov):
    steps = len(grads)
    age = np.arange(steps)[:, None] - np.arange(steps)[None, :]  # (T, T): how long ago
    weights = np.where(age >= 0, float(momentum) ** np.maximum(age, 0), 0.0)
    start = (float(momentum) ** np.arange(1, steps + 1))[:, None] * velocity[None, :]
    velocities = weights @ grads + start  # (T, N)
    directions = grads + momentum * velocities if nesterov else velocities
    theta = params - lr * directions.sum(axis=0)
    return {"params": theta.astype(np.float32), "velocity": velocities[-1].astype(np.float32)}
