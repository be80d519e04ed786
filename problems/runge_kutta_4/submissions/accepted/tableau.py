"""The Butcher tableau as data: any explicit method is a loop over its rows."""

import numpy as np

NODES = [0.0, 0.5, 0.5, 1.0]
REACH = [[], [0.5], [0.0, 0.5], [0.0, 0.0, 1.0]]
WEIGHTS = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0


def runge_kutta_4(f, y0, t0, h, steps):
    trajectory = np.empty((steps + 1, len(y0)))
    trajectory[0] = y0
    for n in range(steps):
        slopes = []
        for node, reach in zip(NODES, REACH):
            moved = sum((c * k for c, k in zip(reach, slopes)), np.zeros_like(y0))
            slopes.append(f(t0 + (n + node) * h, trajectory[n] + h * moved))
        trajectory[n + 1] = trajectory[n] + h * (WEIGHTS @ np.array(slopes))
    return trajectory
