"""Least squares: the controlled mean is the height of the regression line at the exact mean of g."""

import numpy as np


def monte_carlo_estimate(f, g, g_mean):
    n = f.size
    columns = np.stack([np.ones(n), g - g_mean], axis=1)
    if np.ptp(g) == 0:
        columns = columns[:, :1]
    coefficients, *_ = np.linalg.lstsq(columns, f, rcond=None)
    residuals = f - columns @ coefficients
    return {
        "mean": np.mean(f),
        "error": np.std(f, ddof=1) / np.sqrt(n),
        "controlled_mean": coefficients[0],
        "controlled_error": np.std(residuals, ddof=1) / np.sqrt(n),
    }
