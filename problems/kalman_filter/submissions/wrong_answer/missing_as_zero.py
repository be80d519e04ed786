"""Mistake: treats a missing number as an observation of 0; a missing row has no update."""

import numpy as np


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    m, p, total = mean, covariance, 0.0
    means, covariances = [], []
    for y in np.nan_to_num(observations):
        m, p = transition @ m, transition @ p @ transition.T + process_noise
        if not np.isnan(y).any():
            v, s = y - emission @ m, emission @ p @ emission.T + observation_noise
            gain = p @ emission.T @ np.linalg.inv(s)
            total -= 0.5 * (v @ np.linalg.solve(s, v) + np.linalg.slogdet(s)[1] + len(y) * np.log(2 * np.pi))
            m, p = m + gain @ v, p - gain @ emission @ p
        means.append(m)
        covariances.append(p)
    return {"means": np.stack(means), "covariances": np.stack(covariances), "log_likelihood": float(total)}
