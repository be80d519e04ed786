"""Monte Carlo with a control variate: correct the samples by what is known about a second quantity."""

import numpy as np


def monte_carlo_estimate(f, g, g_mean):
    """f: (N,), g: (N,), g_mean: float; returns a dict of four floats."""
    mean, error = mean_and_error(f)
    corrected = f - slope(f, g) * (g - g_mean)
    controlled_mean, controlled_error = mean_and_error(corrected)
    return {
        "mean": mean,
        "error": error,
        "controlled_mean": controlled_mean,
        "controlled_error": controlled_error,
    }


def mean_and_error(values):
    """values: (N,) → their mean, and the standard error of that mean."""
    return float(values.mean()), float(np.sqrt(values.var(ddof=1) / len(values)))


def slope(f, g):
    """Return the slope that leaves the least variance: covariance of f and g over the variance of g."""
    if np.all(g == g[0]):
        return 0.0
    covariance = np.cov(f, g)  # (2, 2)
    return covariance[0, 1] / covariance[1, 1]
