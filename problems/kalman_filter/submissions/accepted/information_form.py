"""The update by precisions: the precision of the state grows by what the observation knows."""

import numpy as np


def log_normal(v, s):
    lower = np.linalg.cholesky(s)
    z = np.linalg.solve(lower, v)
    return -0.5 * z @ z - np.log(np.diag(lower)).sum() - 0.5 * len(v) * np.log(2 * np.pi)


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    weight = emission.T @ np.linalg.inv(observation_noise)
    m, p = mean, covariance
    rows, squares, total = [], [], 0.0
    for y in observations:
        m, p = transition @ m, transition @ p @ transition.T + process_noise
        if not np.isnan(y.sum()):
            total += log_normal(y - emission @ m, emission @ p @ emission.T + observation_noise)
            before = np.linalg.inv(p)
            p = np.linalg.inv(before + weight @ emission)
            m = p @ (before @ m + weight @ y)
        rows.append(m)
        squares.append(p)
    return {"means": np.array(rows), "covariances": np.array(squares), "log_likelihood": float(total)}
