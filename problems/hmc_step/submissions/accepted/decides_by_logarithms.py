"""Decides by logarithms, and returns the position itself after a rejection."""

import math

import numpy as np


def hmc_step(potential, gradient, position, momentum, uniform, inverse_mass, step_size, leapfrog_steps):
    def energy(q, p):
        return potential(q) + np.dot(inverse_mass, p**2) / 2

    q, p = position, momentum - step_size / 2 * gradient(position)
    for kick in [step_size] * (leapfrog_steps - 1) + [step_size / 2]:
        q = q + step_size * inverse_mass * p
        p = p - kick * gradient(q)
    log_probability = min(0.0, energy(position, momentum) - energy(q, p))
    accepted = math.exp(log_probability) > 0 and (uniform == 0 or math.log(uniform) < log_probability)
    return {
        "position": q if accepted else position,
        "acceptance": np.exp(log_probability),
        "accepted": accepted,
    }
