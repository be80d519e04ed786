"""Build the function f from its weights, and ask the solution for the gradient."""

import numpy as np


def run(solution, inputs):
    return solution(sum_of_cubes(inputs["w"], inputs["b"]), inputs["x"], inputs["h"])


def sum_of_cubes(w, b):
    """w: (K, N), b: (K,) → the function that maps x: (N,) to the sum of the cubes of w @ x + b."""

    def f(x):
        return float(np.sum((w @ np.asarray(x) + b) ** 3))

    return f
