import numpy as np


def monte_carlo_estimate(f, g, g_mean):
    """Mean and standard error of f, plain and with the control variate g.

    f:      (N,) float64, N is at least 2
    g:      (N,) float64, from the same samples as f
    g_mean: float, the exact mean of g

    Returns a dict of floats: mean, error, controlled_mean, controlled_error.
    """
    raise NotImplementedError("replace this line with your solution")
