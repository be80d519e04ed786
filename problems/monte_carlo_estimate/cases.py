"""Inputs for the cases: control variates that are correlated with the quantity."""

import numpy as np


def integral_of_exp(seed, samples):
    """The integral of exp over [0, 1]; the control variate is the sample itself."""
    u = np.random.default_rng(seed).uniform(size=samples)
    return {"f": np.exp(u), "g": u, "g_mean": 0.5}


def option_payoff(seed, samples):
    """A call option's payoff; the control variate is the asset's price, a log-normal with a known mean."""
    z = np.random.default_rng(seed).normal(size=samples)
    price = 10.0 * np.exp(0.3 * z - 0.045)
    return {"f": np.maximum(price - 9.0, 0.0), "g": price, "g_mean": 10.0}


def falling_control(seed, samples):
    """The quantity falls where the control variate grows, so the slope is negative."""
    z = np.random.default_rng(seed).normal(size=samples)
    return {"f": np.exp(-z) + 2.0, "g": 3.0 * z + z**2, "g_mean": 1.0}
