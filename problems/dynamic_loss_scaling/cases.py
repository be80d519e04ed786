"""Inputs for the cases: gradients whose sizes change along training, some of them not finite."""

import numpy as np


def training(seed, steps, init_scale, growth_interval, spread, broken=0, size=1.0, lr=0.05):
    """Gradients (T, 5) of about `size`, times e to a random walk of `spread`; `broken` steps have inf or NaN."""
    rng = np.random.default_rng(seed)
    walk = np.clip(np.cumsum(spread * rng.normal(size=steps)), -3.0, 3.0)
    signed = rng.uniform(0.2, 1.0, size=(steps, 5)) * rng.choice([-1.0, 1.0], size=(steps, 5))
    grads = size * np.exp(walk)[:, None] * signed
    for row in rng.choice(steps, size=broken, replace=False):
        grads[row, rng.integers(5)] = rng.choice([np.inf, -np.inf, np.nan])
    return {
        "params": rng.normal(size=5).astype(np.float32),
        "grads": grads.astype(np.float32),
        "lr": lr,
        "init_scale": init_scale,
        "growth_interval": growth_interval,
    }
