"""Give the solution the potential and the gradient of the target that the case names."""

import numpy as np


def run(solution, inputs):
    potential, gradient = TARGETS[inputs["target"]]
    return solution(
        potential,
        gradient,
        inputs["position"],
        inputs["momentum"],
        inputs["uniform"],
        inputs["inverse_mass"],
        inputs["step_size"],
        inputs["leapfrog_steps"],
    )


def normal(q):
    return float(q @ q) / 2


def normal_gradient(q):
    return q.copy()


def banana(q):
    a, b = q
    return float(a**2 / 2 + 2 * (b - a**2) ** 2)


def banana_gradient(q):
    a, b = q
    return np.array([a - 8 * a * (b - a**2), 4 * (b - a**2)])


PRECISION = np.array([[2.0, -0.9, 0.3], [-0.9, 1.5, 0.4], [0.3, 0.4, 1.0]])


def correlated(q):
    return float(q @ PRECISION @ q) / 2


def correlated_gradient(q):
    return PRECISION @ q


def exponential(q):
    return float(q.sum()) if (q >= 0).all() else np.inf


def exponential_gradient(q):
    return np.ones_like(q)


TARGETS = {
    "normal": (normal, normal_gradient),
    "banana": (banana, banana_gradient),
    "correlated": (correlated, correlated_gradient),
    "exponential": (exponential, exponential_gradient),
}
