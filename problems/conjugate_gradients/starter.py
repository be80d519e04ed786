import numpy as np


def conjugate_gradients(a, b, tolerance, max_steps):
    """Solve a x = b by conjugate gradients, from x = 0.

    a:         (N, N) float64, symmetric and positive definite
    b:         (N,) float64
    tolerance: float, stop when the norm of the residual is at most this
    max_steps: int, stop after so many steps

    Returns {"x": (N,), "residual_norms": (S + 1,)}, float64, where S is the number of steps.
    """
    raise NotImplementedError("replace this line with your solution")
