"""Mistake: ends with a drift, so the momentum of the energy is half a step behind; a half kick is missing at the end."""

import numpy as np


def hmc_step(potential, gradient, position, momentum, uniform, inverse_mass, step_size, leapfrog_steps):
    def energy(q, p):
        return potential(q) + 0.5 * np.sum(inverse_mass * p**2)

    q, p = position, momentum - step_size / 2 * gradient(position)
    for step in range(leapfrog_steps):
        q = q + step_size * inverse_mass * p
        if step < leapfrog_steps - 1:
            p = p - step_size * gradient(q)
    acceptance = float(min(1.0, np.exp(energy(position, momentum) - energy(q, p))))
    accepted = bool(uniform < acceptance)
    return {"position": q if accepted else position.copy(), "acceptance": acceptance, "accepted": accepted}
