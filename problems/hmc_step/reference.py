"""Hamiltonian Monte Carlo: a proposal by leapfrog integration, and a decision by the energy."""

import numpy as np


def hmc_step(potential, gradient, position, momentum, uniform, inverse_mass, step_size, leapfrog_steps):
    """position, momentum, inverse_mass: (D,); returns the next position, the acceptance and the decision."""
    q, p = leapfrog(gradient, position, momentum, inverse_mass, step_size, leapfrog_steps)
    start = potential(position) + kinetic(momentum, inverse_mass)
    end = potential(q) + kinetic(p, inverse_mass)
    acceptance = float(np.exp(min(0.0, start - end)))
    accepted = uniform < acceptance
    return {"position": q if accepted else position.copy(), "acceptance": acceptance, "accepted": accepted}


def leapfrog(gradient, q, p, inverse_mass, step_size, steps):
    """Return position and momentum after so many leapfrog steps."""
    for _ in range(steps):
        p = p - step_size / 2 * gradient(q)
        q = q + step_size * inverse_mass * p
        p = p - step_size / 2 * gradient(q)
    return q, p


def kinetic(p, inverse_mass):
    return 0.5 * np.sum(inverse_mass * p**2)
