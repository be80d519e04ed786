"""Slopes that are multiplied by h at once, and a time that runs along."""

import numpy as np


def runge_kutta_4(f, y0, t0, h, steps):
    t, y = t0, y0.copy()
    rows = [y.copy()]
    for _ in range(steps):
        a = h * f(t, y)
        b = h * f(t + 0.5 * h, y + 0.5 * a)
        c = h * f(t + 0.5 * h, y + 0.5 * b)
        d = h * f(t + h, y + c)
        y += (a + d) / 6 + (b + c) / 3
        t += h
        rows.append(y.copy())
    return np.array(rows)
