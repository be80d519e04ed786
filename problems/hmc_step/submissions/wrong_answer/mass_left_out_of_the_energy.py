"""Mistake: leaves the inverse mass out of the kinetic energy."""

import numpy as np


def hmc_step(potential, gradient, position, momentum, uniform, inverse_mass, step_size, leapfrog_steps):
    def energy(q, p):
        return potential(q) + 0.5 * np.sum(p**2)

    q, p = position, momentum
    for _ in range(leapfrog_steps):
        p = p - step_size / 2 * gradient(q)
        q = q + step_size * inverse_mass * p
        p = p - step_size / 2 * gradient(q)
    change = energy(q, p) - energy(position, momentum)
    acceptance = float(min(1.0, np.exp(-change)))
    accepted = bool(uniform < acceptance)
    return {"position": q.copy() if accepted else position.copy(), "acceptance": acceptance, "accepted": accepted}
