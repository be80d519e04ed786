"""Position and velocity instead of position and momentum: the kick is divided by the mass."""

import math

import numpy as np


def hmc_step(potential, gradient, position, momentum, uniform, inverse_mass, step_size, leapfrog_steps):
    def energy(q, v):
        return potential(q) + sum(0.5 * w * w / i for w, i in zip(v.tolist(), inverse_mass.tolist()))

    q, v = np.array(position), inverse_mass * momentum
    start = energy(q, v)
    force = -gradient(q)
    for _ in range(leapfrog_steps):
        q = q + step_size * v + step_size**2 / 2 * inverse_mass * force
        new_force = -gradient(q)
        v = v + step_size / 2 * inverse_mass * (force + new_force)
        force = new_force
    change = energy(q, v) - start
    acceptance = math.exp(-change) if change > 0 else 1.0
    if uniform < acceptance:
        return {"position": q, "acceptance": acceptance, "accepted": True}
    return {"position": np.array(position), "acceptance": acceptance, "accepted": False}
