"""Mistake: updates before it predicts; the given mean belongs to the time before the first move."""

import numpy as np


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    m, p, total = mean, covariance, 0.0
    means, covariances = [], []
    for y in observations:
        if not np.isnan(y).any():
            v, s = y - emission @ m, emission @ p @ emission.T + observation_noise
            gain = p @ emission.T @ np.linalg.inv(s)
            total -= 0.5 * (v @ np.linalg.solve(s, v) + np.linalg.slogdet(s)[1] + len(y) * np.log(2 * np.pi))
            m, p = m + gain @ v, p - gain @ emission @ p
        filtered = m, p
        m, p = transition @ m, transition @ p @ transition.T + process_noise
        means.append(filtered[0])
        covariances.append(filtered[1])
    return {"means": np.stack(means), "covariances": np.stack(covariances), "log_likelihood": float(total)}
