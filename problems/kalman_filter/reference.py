"""The Kalman filter: predict where the state goes, then learn from the observation."""

import numpy as np


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    """observations: (T, M); returns {"means": (T, N), "covariances": (T, N, N), "log_likelihood": float}."""
    means, covariances, log_likelihood = [], [], 0.0
    for y in observations:
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + process_noise
        if not np.isnan(y).any():
            mean, covariance, log_density = update(mean, covariance, y, emission, observation_noise)
            log_likelihood += log_density
        means.append(mean)
        covariances.append(covariance)
    return {"means": np.stack(means), "covariances": np.stack(covariances), "log_likelihood": log_likelihood}


def update(mean, covariance, y, emission, observation_noise):
    """Return the state's mean and covariance given y, and the log density of y."""
    innovation = y - emission @ mean  # (M,)
    spread = emission @ covariance @ emission.T + observation_noise  # (M, M), covariance of the innovation
    gain = np.linalg.solve(spread, emission @ covariance).T  # (N, M)
    distance = innovation @ np.linalg.solve(spread, innovation)
    _, log_determinant = np.linalg.slogdet(spread)
    log_density = -0.5 * (distance + log_determinant + len(y) * np.log(2 * np.pi))
    return mean + gain @ innovation, covariance - gain @ emission @ covariance, float(log_density)
