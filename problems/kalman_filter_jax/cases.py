"""Inputs for the cases: a random stable model, and observations that follow it."""

import numpy as np


def tracking(seed, steps, n, m, missing=(), partly=()):
    """Simulate `steps` observations. Rows in `missing` are NaN; rows in `partly` have one NaN."""
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(n, n)))
    transition = 0.85 * rotation + 0.1 * rng.normal(size=(n, n))
    emission = rng.normal(size=(m, n)) + np.eye(m, n)
    process_noise, observation_noise, covariance = spd(rng, n, 0.5), spd(rng, m, 0.8), spd(rng, n, 1.5)
    mean = 2.0 * rng.normal(size=n)

    state, observations = rng.multivariate_normal(mean, covariance), np.empty((steps, m))
    for t in range(steps):
        state = transition @ state + rng.multivariate_normal(np.zeros(n), process_noise)
        observations[t] = emission @ state + rng.multivariate_normal(np.zeros(m), observation_noise)
    observations[list(missing)] = np.nan
    for t in partly:
        observations[t, rng.integers(m)] = np.nan
    arrays = {
        "observations": observations,
        "mean": mean,
        "covariance": covariance,
        "transition": transition,
        "process_noise": process_noise,
        "emission": emission,
        "observation_noise": observation_noise,
    }
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def spd(rng, size, scale):
    """A symmetric positive definite matrix."""
    root = np.eye(size) + 0.4 * rng.normal(size=(size, size))
    return scale * (root @ root.T / 1.5 + 0.2 * np.eye(size))
