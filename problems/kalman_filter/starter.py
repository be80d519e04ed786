import numpy as np


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    """Filtered means and covariances of the state, and the log likelihood of the observations.

    observations:      (T, M) float64; a row with a NaN is missing
    mean:              (N,) float64, one step before the first observation
    covariance:        (N, N) float64
    transition:        (N, N) float64, F
    process_noise:     (N, N) float64, Q
    emission:          (M, N) float64, H
    observation_noise: (M, M) float64, R

    Returns {"means": (T, N), "covariances": (T, N, N), "log_likelihood": float}.
    """
    raise NotImplementedError("replace this line with your solution")
