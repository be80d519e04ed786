"""Mistake: the covariance divides by N - 1 and the variance of g by N, so the slope is too large; use one divisor for both."""

import numpy as np


def monte_carlo_estimate(f, g, g_mean):
    def estimate(values):
        return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))

    beta = 0.0 if np.ptp(g) == 0 else np.cov(f, g)[0, 1] / np.var(g)
    mean, error = estimate(f)
    controlled_mean, controlled_error = estimate(f - beta * (g - g_mean))
    return {
        "mean": mean,
        "error": error,
        "controlled_mean": controlled_mean,
        "controlled_error": controlled_error,
    }
