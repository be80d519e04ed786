"""A while loop that computes the residual from its definition in each step."""

import numpy as np


def conjugate_gradients(a, b, tolerance, max_steps):
    x = np.zeros(len(b))
    r = b - a @ x
    p = r.copy()
    norms = np.array([np.linalg.norm(r)])
    while len(norms) <= max_steps and norms[-1] > tolerance:
        x += p * (r @ p) / (p @ a @ p)
        r = b - a @ x
        p = r + (np.linalg.norm(r) / norms[-1]) ** 2 * p
        norms = np.append(norms, np.linalg.norm(r))
    return {"x": x, "residual_norms": norms}
