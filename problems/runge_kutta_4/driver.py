"""Give the solution the right-hand side that the case names."""

import numpy as np


def run(solution, inputs):
    return solution(SYSTEMS[inputs["system"]], inputs["y0"], inputs["t0"], inputs["h"], inputs["steps"])


def relaxation(t, y):
    return t - y


def driven_pendulum(t, y):
    angle, velocity = y
    return np.array([velocity, -np.sin(angle) - 0.1 * velocity + 0.8 * np.cos(1.3 * t)])


def predator_prey(t, y):
    prey, predators = y
    return np.array([1.1 * prey - 0.7 * prey * predators, 0.4 * prey * predators - 0.9 * predators])


def lorenz(t, y):
    a, b, c = y
    return np.array([10.0 * (b - a), a * (28.0 - c) - b, a * b - 8.0 / 3.0 * c])


SYSTEMS = {
    "relaxation": relaxation,
    "driven_pendulum": driven_pendulum,
    "predator_prey": predator_prey,
    "lorenz": lorenz,
}
