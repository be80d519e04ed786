"""Mistake: computes the third slope from the first one; it needs the state that follows the second slope."""

import numpy as np


def runge_kutta_4(f, y0, t0, h, steps):
    y = y0.copy()
    states = [y]
    for n in range(steps):
        t = t0 + n * h
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k1)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        states.append(y)
    return np.stack(states)
