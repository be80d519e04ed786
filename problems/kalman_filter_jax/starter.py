import jax
import jax.numpy as jnp


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    """Filtered means and covariances of the state, and the log likelihood of the observations.

    observations:      (T, M) float32; a row with a NaN is missing
    mean:              (N,) float32, one step before the first observation
    covariance:        (N, N) float32
    transition:        (N, N) float32, F
    process_noise:     (N, N) float32, Q
    emission:          (M, N) float32, H
    observation_noise: (M, M) float32, R

    Returns {"means": (T, N), "covariances": (T, N, N), "log_likelihood": ()}, float32.
    """
    raise NotImplementedError("replace this line with your solution")
