"""Inputs for the cases: a classification problem, and an approximation that is near its posterior or far off."""

import numpy as np


def classification(seed, n, d, samples, prior_scale, log_sigma=-0.7, feature_scale=1.0, mean_scale=0.6):
    """n examples with d features, and `samples` draws of standard normal noise."""
    rng = np.random.default_rng(seed)
    x = feature_scale * rng.normal(size=(n, d))
    chance = 1.0 / (1.0 + np.exp(-(x @ rng.normal(size=d)) / feature_scale))
    return {
        "mu": (mean_scale * rng.normal(size=d)).astype(np.float32),
        "log_sigma": (log_sigma + 0.3 * rng.normal(size=d)).astype(np.float32),
        "noise": rng.normal(size=(samples, d)).astype(np.float32),
        "x": x.astype(np.float32),
        "y": (rng.uniform(size=n) < chance).astype(np.int32),
        "prior_scale": prior_scale,
    }
