"""The Joseph form of the covariance, an explicit inverse, and preallocated arrays."""

import numpy as np


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    steps, n = len(observations), len(mean)
    means, covariances = np.empty((steps, n)), np.empty((steps, n, n))
    log_likelihood = 0.0
    for t in range(steps):
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + process_noise
        y = observations[t]
        if np.all(np.isfinite(y)):
            s = emission @ covariance @ emission.T + observation_noise
            precision = np.linalg.inv(s)
            v = y - emission @ mean
            log_likelihood -= 0.5 * (v @ precision @ v + np.log(np.linalg.det(2 * np.pi * s)))
            gain = covariance @ emission.T @ precision
            mean = mean + gain @ v
            rest = np.eye(n) - gain @ emission
            covariance = rest @ covariance @ rest.T + gain @ observation_noise @ gain.T
        means[t], covariances[t] = mean, covariance
    return {"means": means, "covariances": covariances, "log_likelihood": log_likelihood}
