import numpy as np


def runge_kutta_4(f, y0, t0, h, steps):
    """The trajectory of dy/dt = f(t, y), by the classical method of order four.

    f:     function of a float t and an array y (D,); returns an array (D,)
    y0:    (D,) float64, the state at t0
    t0:    float
    h:     float, the step size; may be negative
    steps: int, 0 or more

    Returns an array of shape (steps + 1, D), float64; the first row is y0.
    """
    raise NotImplementedError("replace this line with your solution")
