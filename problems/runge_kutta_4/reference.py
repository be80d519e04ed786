"""The classical Runge–Kutta method: four slopes for each step, weighted 1, 2, 2, 1."""

import numpy as np


def runge_kutta_4(f, y0, t0, h, steps):
    """f: (t, y: (D,)) → (D,), y0: (D,); returns the trajectory (steps + 1, D)."""
    states = [y0]
    for n in range(steps):
        states.append(step(f, t0 + n * h, states[-1], h))
    return np.stack(states)


def step(f, t, y, h):
    """Return the state at t + h, from the state y at t."""
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
